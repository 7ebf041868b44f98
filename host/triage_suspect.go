package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// suspect is a failing test about which a triage is asked.
type suspect struct {
	record.Test
	// root is the listed test that it belongs to, if not itself.
	root string
	// was is the name that it had before it was renamed; empty is none that is known.
	was string
	// fixture: it is what the tests of its suite stand on.
	fixture bool
	// trace is of its failure; empty is not known.
	trace classify.Trace
}

// built tells whether the failure is one of tests that could be built.
func (s suspect) built() bool { return !isBuildKind(s.trace.Kind) }

// isRun tells whether it stands for a run that was ended as a whole, as by its time.
// Sources that do not build are another matter.
func (s suspect) isRun() bool { return s.Test == record.Test{} && s.built() }

func isBuildKind(kind string) bool {
	return kind == sdk.KindBuild || kind == sdk.KindVet || kind == sdk.KindSetup
}

// target is what has to be run to see what the suspect does.
func (s suspect) target() record.Test {
	if s.fixture {
		return record.Test{Suite: s.Suite}
	}
	return s.Test
}

// suspects are the failing tests of a language.
type suspects struct {
	// run is the run that they failed in, or the one in which they came in.
	run record.Run
	// of is its id where it is the session's last one.
	of    string
	tests []suspect
	// message says why there are none, and left what was not taken in.
	message string
	left    []string
	// clean: there are none because everything passed.
	clean bool
}

// maxSuspects bounds a triage as failures are bounded in a Run object.
const maxSuspects = record.MaxFailures

// suspectsOf finds the failing tests of the session's last run, or else what is
// outstanding.
func (m *memory) suspectsOf(ctx context.Context, language string) (suspects, error) {
	slot, ok, err := m.store.Slot(language)
	if err != nil {
		return suspects{}, err
	}
	var found suspects
	ran := ok && slot.RunID != ""
	if ran {
		if found.run, err = m.store.Run(slot.RunID); err != nil {
			return found, err
		}
		found.of = slot.RunID
		if found.tests, err = m.failing(found.run.RunID, func(record.Test) bool { return true }); err != nil {
			return found, err
		}
	}
	if len(found.tests) == 0 && m.history != nil {
		set, err := m.outstanding(ctx, language)
		if err != nil {
			return found, err
		}
		if err := m.addOutstanding(&found, set); err != nil {
			return found, err
		}
	}
	named := slices.DeleteFunc(found.tests, suspect.isRun)
	if len(named) < len(found.tests) {
		found.left = append(found.left, "what ended the run as a whole is no test, and was not looked at")
	}
	found.tests = named
	switch {
	case len(found.tests) > maxSuspects:
		found.left = append(found.left, fmt.Sprintf("%d of %d failing tests were looked at: name others to ask about them", maxSuspects, len(found.tests)))
		found.tests = found.tests[:maxSuspects]
	case len(found.tests) > 0:
	case !ran:
		found.message = report.NoRunYet
	case found.run.Verdict == record.Passed:
		found.clean = true
		found.message = fmt.Sprintf("nothing to triage: run %s passed and nothing that failed is outstanding (%s)", found.run.RunID, language)
	default:
		found.message = fmt.Sprintf("nothing to triage: no test failed in run %s, which is not a pass: %s: %s (%s)", found.run.RunID, found.run.Verdict, found.run.Reason, language)
	}
	return found, nil
}

// addOutstanding takes in what is outstanding because it failed: of what needs
// other runner arguments than the first of it, only that it was left out is said.
func (m *memory) addOutstanding(found *suspects, set rerun.Set) error {
	failed := rerun.Set{Known: set.Known}
	for _, e := range set.Entries {
		if e.Reason != rerun.ReasonNeverStarted {
			failed.Entries = append(failed.Entries, e)
		}
	}
	if failed.Len() == 0 {
		return nil
	}
	group := failed.Groups("")[0]
	if n := failed.Len() - group.Len(); n > 0 {
		found.left = append(found.left, fmt.Sprintf("%d outstanding tests that were run with other runner arguments were not looked at", n))
	}
	found.of, found.run = "", record.Run{}
	shown := map[string]map[record.Test]suspect{}
	for _, e := range group.Entries {
		if shown[e.LastRunID] == nil {
			shown[e.LastRunID] = map[record.Test]suspect{}
			// Of a run that is no longer on record nothing more is known.
			failing, err := m.failing(e.LastRunID, func(record.Test) bool { return true })
			if err != nil {
				return err
			}
			for _, s := range failing {
				shown[e.LastRunID][s.target()] = s
			}
		}
		s, ok := shown[e.LastRunID][e.Test]
		if !ok {
			s = suspect{Test: e.Test, root: e.Root}
		}
		found.tests = append(found.tests, s)
		for _, id := range []string{e.RunID, e.LastRunID} {
			if run, err := m.store.Run(id); err == nil && found.run.RunID == "" {
				found.run = run
			}
		}
	}
	return nil
}

// failing reads what failed or did not finish in a run, in the order of its
// record.
func (m *memory) failing(runID string, wanted func(record.Test) bool) ([]suspect, error) {
	var tests []suspect
	index := map[record.Test]int{}
	add := func(s suspect) {
		if _, ok := index[s.Test]; !ok && wanted(s.Test) {
			index[s.Test] = len(tests)
			tests = append(tests, s)
		}
	}
	err := m.store.Results(runID, func(r record.Result) bool {
		if r.Status == record.TestFailed && !r.Derived || r.Status == record.TestUnfinished {
			add(suspect{Test: record.Test{Suite: r.Suite, Test: r.Test}, root: r.Root, fixture: r.Fixture})
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	err = m.store.Failures(runID, func(f record.Failure) bool {
		id := record.Test{Suite: f.Suite, Test: f.Test}
		add(suspect{Test: id})
		if i, ok := index[id]; ok && tests[i].trace.Kind == "" {
			tests[i].trace = classify.TraceOf(f, headline(f))
		}
		return true
	})
	slices.SortStableFunc(tests, func(a, b suspect) int { return strings.Compare(a.Suite, b.Suite) })
	return tests, err
}

// named narrows to the tests that a user names: a test, the end of its name after
// a "/", a test that it lies in, or its suite.
func (f suspects) named(names []string) (suspects, error) {
	if len(names) == 0 || len(f.tests) == 0 {
		return f, nil
	}
	var kept []suspect
	met := map[string]bool{}
	for _, s := range f.tests {
		taken := false
		for _, name := range names {
			if s.hasName(name) {
				met[name], taken = true, true
			}
		}
		if taken {
			kept = append(kept, s)
		}
	}
	for _, name := range names {
		if !met[name] {
			return f, &UsageError{Reason: fmt.Sprintf("%q is no test that failed", name), Fix: "`proctor failures` lists those that did"}
		}
	}
	f.tests = kept
	return f, nil
}

func (s suspect) hasName(name string) bool {
	qualified := report.QualifiedName(s.Suite, s.Test.Test)
	return name == s.Test.Test || name == s.Suite || name == qualified || name == s.Suite+" "+s.Test.Test ||
		s.root != "" && (name == s.root || name == report.QualifiedName(s.Suite, s.root)) || strings.HasSuffix(qualified, "/"+name) ||
		namesLoosely(s.Test, name)
}
