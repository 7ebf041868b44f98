package classify

import (
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// lastPassed is the newest run before the newest one in which the test passed.
func lastPassed(all []attempt) *record.LastPassed {
	for i := len(all) - 2; i >= 0; i-- {
		if a := all[i]; a.passed {
			p := a.first()
			return &record.LastPassed{RunID: p.RunID, At: p.At, Fingerprint: p.Fingerprint}
		}
	}
	return nil
}

// sameFailure counts the newest runs that ended with one and the same failure,
// if there are two or more. Runs that prove nothing are skipped.
func sameFailure(all []attempt, edits func(from, to string) int) *record.SameFailure {
	newest, ok := lastConclusive(all)
	if !ok || !newest.bad || newest.signature == "" {
		return nil
	}
	same := &record.SameFailure{Signature: newest.signature}
	var later history.Point
	for i := len(all) - 1; i >= 0; i-- {
		a := all[i]
		if !a.conclusive() {
			continue
		}
		if !a.bad || a.signature != newest.signature {
			break
		}
		p := a.first()
		if same.Run++; same.Run > 1 {
			same.Edits = sum(same.Edits, changed(edits, p.Fingerprint, later.Fingerprint))
		}
		same.Since, same.SinceID = p.At, p.RunID
		later = p
	}
	if same.Run < 2 {
		return nil
	}
	return same
}

// unknown is a number of edits that nobody can tell.
const unknown = -1

func changed(edits func(from, to string) int, from, to string) int {
	switch {
	case from == "" || to == "":
		return unknown
	case from == to:
		return 0
	case edits == nil:
		return unknown
	}
	return edits(from, to)
}

func sum(a, b int) int {
	if a < 0 || b < 0 {
		return unknown
	}
	return a + b
}

// circumstances are what must be known and equal for a pass and a failure to
// contradict each other. Those of a run that was made elsewhere are not known: much
// of another machine is in neither.
type circumstances struct{ fingerprint, environment string }

// circumstances are those of the run; ok is false where they are not known.
func (a attempt) circumstances() (c circumstances, ok bool) {
	p := a.first()
	return circumstances{p.Fingerprint, p.Environment}, p.Fingerprint != "" && p.Environment != "" && !p.MixedState && !p.Foreign()
}

// flaky is the most recent evidence that the test passed in one run and failed in
// another one in equal circumstances. A pass and a failure of one run are none:
// there may be two tests of one name in it.
func flaky(all []attempt) *record.Flaky {
	type both struct{ passed, bad *history.Point }
	seen := map[circumstances]both{}
	var found *record.Flaky
	for _, a := range all {
		key, known := a.circumstances()
		if !known || !a.conclusive() {
			continue
		}
		b := seen[key]
		if p := a.decisive(); a.bad {
			b.bad = &p
		} else {
			b.passed = &p
		}
		seen[key] = b
		if b.passed != nil && b.bad != nil {
			found = contradiction(*b.passed, *b.bad)
		}
	}
	return found
}

func contradiction(passed, bad history.Point) *record.Flaky {
	f := &record.Flaky{Fingerprint: bad.Fingerprint, PassedRun: passed.RunID, FailedRun: bad.RunID}
	if passed.Seed != "" && bad.Seed != "" && passed.Seed != bad.Seed {
		f.Seeds = []string{passed.Seed, bad.Seed}
	}
	return f
}

// Flaky is the most recent evidence among points, the oldest first, that their
// test both passed and failed on one source state in one environment; nil is
// none.
func Flaky(points []history.Point) *record.Flaky { return flaky(attempts(points)) }
