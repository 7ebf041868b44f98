package report

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// writeJSON writes each run on one line, as the Run object with its results and all
// failures. Results and failures are streamed, never all held in memory.
func writeJSON(w io.Writer, d *Document, _ Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for _, run := range d.Runs {
		if err := writeObject(out, run); err != nil {
			return err
		}
	}
	return out.Flush()
}

// writeObject writes a run. The lists replace empty placeholders in the encoded object; no
// string can look like one, because its quotes are escaped.
func writeObject(out *bufio.Writer, run *Run) error {
	var gap bytes.Buffer
	if hasResults(run.Record) {
		nothing, err := prose.JSON([]api.Result{{}})
		if err != nil {
			return err
		}
		gap.WriteString(`"results":`)
		gap.Write(bytes.TrimSpace(nothing))
	}
	object := run.Object
	object.Failures, object.Results = []api.Failure{}, nil
	if gap.Len() > 0 {
		object.Results = []api.Result{{}}
	}
	line, err := prose.JSON(object)
	if err != nil {
		return err
	}
	before, after, _ := bytes.Cut(line, []byte(`"failures":[]`))
	out.Write(before)
	out.WriteString(`"failures":[`)
	l := list{out: out}
	if err := eachFailure(run, l.add); err != nil {
		return err
	}
	out.WriteByte(']')
	if gap.Len() > 0 {
		before, after, _ = bytes.Cut(after, gap.Bytes())
		out.Write(before)
		out.WriteString(`"results":[`)
		l = list{out: out}
		var failed error
		err := run.Record.Results(func(r api.Result) bool {
			failed = l.add(&r)
			return failed == nil
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		out.WriteByte(']')
	}
	_, err = out.Write(after)
	return err
}

func hasResults(record api.Record) (any bool) {
	_ = record.Results(func(api.Result) bool { // it is read again, with its errors
		any = true
		return false
	})
	return any
}

// list writes the items of a JSON array.
type list struct {
	out *bufio.Writer
	n   int
}

func (l *list) add(v any) error {
	item, err := prose.JSON(v)
	if err != nil {
		return err
	}
	if l.n++; l.n > 1 {
		l.out.WriteByte(',')
	}
	_, err = l.out.Write(bytes.TrimSuffix(item, []byte("\n")))
	return err
}

// maxSorted is how many failures are sorted in memory at a time.
const maxSorted = 2000

// eachFailure calls yield with every failure of a run, sorted by suite as in its object,
// whose own failures also have their history.
func eachFailure(run *Run, yield func(any) error) error {
	sizes, recorded := map[string]int{}, 0
	err := run.Record.Failures(func(f api.Failure) bool {
		sizes[f.Suite]++
		recorded++
		return true
	})
	if err != nil {
		return err
	}
	if recorded <= len(run.Object.Failures) { // a truncated record hides none of them
		for i := range run.Object.Failures {
			if err := yield(&run.Object.Failures[i]); err != nil {
				return err
			}
		}
		return nil
	}
	known, excused := knownFailures(run.Object), excusedTests(run.Object)
	suites := slices.Sorted(maps.Keys(sizes))
	for len(suites) > 0 {
		n, total := 1, sizes[suites[0]]
		for n < len(suites) && total+sizes[suites[n]] <= maxSorted {
			total += sizes[suites[n]]
			n++
		}
		if err := eachFailureOf(run.Record, suites[:n], func(f api.Failure) error {
			if own, ok := known[f.ID]; ok {
				return yield(own)
			}
			f.Signature, f.Quarantine = classify.Signature(f), excused[f.TestID]
			return yield(&f)
		}); err != nil {
			return err
		}
		suites = suites[n:]
	}
	return nil
}

// eachFailureOf calls yield with the failures of some suites, one suite after the other.
// Those of a single one are in this order on record.
func eachFailureOf(record api.Record, suites []string, yield func(api.Failure) error) error {
	bySuite := make(map[string][]api.Failure, len(suites))
	for _, s := range suites {
		bySuite[s] = nil
	}
	var failed error
	err := record.Failures(func(f api.Failure) bool {
		switch _, wanted := bySuite[f.Suite]; {
		case !wanted:
		case len(suites) == 1:
			failed = yield(f)
		default:
			bySuite[f.Suite] = append(bySuite[f.Suite], f)
		}
		return failed == nil
	})
	for _, s := range suites {
		for _, f := range bySuite[s] {
			if failed == nil {
				failed = yield(f)
			}
		}
	}
	return errors.Join(err, failed)
}

// knownFailures returns the failures in a run's object, by id.
func knownFailures(run api.Run) map[string]*api.Failure {
	known := make(map[string]*api.Failure, len(run.Failures))
	for i := range run.Failures {
		known[run.Failures[i].ID] = &run.Failures[i]
	}
	return known
}

// excusedTests returns the tests whose failures in quarantine did not decide, with the
// reason.
func excusedTests(run api.Run) map[sdk.TestID]string {
	excused := map[sdk.TestID]string{}
	for _, f := range run.Failures {
		if f.Quarantine != "" {
			excused[f.TestID] = f.Quarantine
		}
	}
	return excused
}
