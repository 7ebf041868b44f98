package triage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// suspect is a failing test to be triaged.
type suspect struct {
	sdk.TestID
	// root is the top-level test that it belongs to, if it is a subtest.
	root string
	// was is its name before it was renamed; empty if none is known.
	was string
	// fixture means that it is a fixture of its suite.
	fixture bool
	// trace describes its failure; empty if unknown.
	trace classify.Trace
}

// isBuilt reports whether it failed in spite of being built.
func (s suspect) isBuilt() bool { return !api.IsBuildKind(s.trace.Kind) }

// isRun reports whether it stands for a run that ended as a whole, as by a timeout, rather
// than for sources that do not build.
func (s suspect) isRun() bool { return s.TestID == sdk.TestID{} && s.isBuilt() }

// target returns what must run to see what the suspect does.
func (s suspect) target() sdk.TestID {
	if s.fixture {
		return sdk.TestID{Suite: s.Suite}
	}
	return s.TestID
}

// suspects are the failing tests of a language.
type suspects struct {
	// run is the run in which they failed, or became outstanding.
	run api.Run
	// of is its id if it is the session's last one.
	of    string
	tests []suspect
	// message says why there are none, left what was left out.
	message string
	left    []string
	// noRun means that there are none because there is no run.
	noRun bool
	// clean means that there are none because everything passed.
	clean bool
}

// maxSuspects bounds a triage like the failures of a Run object.
const maxSuspects = api.MaxFailures

// findSuspects finds the failing tests of the session's last run, or else what is
// outstanding.
func findSuspects(ctx context.Context, led *ledger.Ledger, language string) (suspects, error) {
	slot, ok, err := led.Artifacts.Slot(language)
	if err != nil {
		return suspects{}, err
	}
	var found suspects
	ran := ok && slot.RunID != ""
	if ran {
		if found.run, err = led.Artifacts.Run(slot.RunID); err != nil {
			return found, err
		}
		found.of = slot.RunID
		if found.tests, err = listFailing(led, found.run.RunID, func(sdk.TestID) bool { return true }); err != nil {
			return found, err
		}
	}
	if len(found.tests) == 0 && led.History != nil {
		set, err := led.Outstanding(ctx, language)
		if err != nil {
			return found, err
		}
		if err := addOutstanding(led, &found, set); err != nil {
			return found, err
		}
	}
	all := len(found.tests)
	named := slices.DeleteFunc(found.tests, suspect.isRun)
	if len(named) < all {
		found.left = append(found.left, "what ended the run as a whole is not a test, and was left out")
	}
	found.tests = named
	switch {
	case len(found.tests) > maxSuspects:
		found.left = append(found.left, fmt.Sprintf("only %d of %d failing tests were triaged: name others to triage them", maxSuspects, len(found.tests)))
		found.tests = found.tests[:maxSuspects]
	case len(found.tests) > 0:
	case !ran:
		found.message, found.noRun = api.NoRunYet, true
	case found.run.Verdict == api.Passed && led.History == nil:
		found.message = fmt.Sprintf("nothing to triage: run %s passed, and what else is outstanding is unknown without a history (%s)", found.run.RunID, language)
	case found.run.Verdict == api.Passed && len(named) < all:
		found.message = fmt.Sprintf("nothing to triage: run %s passed, and what is outstanding is not a test but a run as a whole (%s)", found.run.RunID, language)
	case found.run.Verdict == api.Passed:
		found.clean = true
		found.message = fmt.Sprintf("nothing to triage: run %s passed and nothing that failed is outstanding (%s)", found.run.RunID, language)
	default:
		found.message = fmt.Sprintf("nothing to triage: no test failed in run %s, which is not a pass: %s: %s (%s)", found.run.RunID, found.run.Verdict.Words(), found.run.Reason, language)
	}
	return found, nil
}

// addOutstanding adds what is outstanding because it failed. Entries that need other runner
// arguments than the first are only counted.
func addOutstanding(led *ledger.Ledger, found *suspects, set outstanding.Set) error {
	failed := outstanding.Set{Known: set.Known}
	for _, e := range set.Entries {
		if e.Reason != outstanding.ReasonNeverStarted {
			failed.Entries = append(failed.Entries, e)
		}
	}
	if failed.Len() == 0 {
		return nil
	}
	group := failed.Groups("")[0]
	if n := failed.Len() - group.Len(); n > 0 {
		found.left = append(found.left, fmt.Sprintf("%d outstanding tests that ran with other runner arguments were left out", n))
	}
	found.of, found.run = "", api.Run{}
	shown := map[string]map[sdk.TestID]suspect{}
	for _, e := range group.Entries {
		if shown[e.LastRunID] == nil {
			shown[e.LastRunID] = map[sdk.TestID]suspect{}
			// A run that is no longer on record has none.
			failing, err := listFailing(led, e.LastRunID, func(sdk.TestID) bool { return true })
			if err != nil {
				return err
			}
			for _, s := range failing {
				shown[e.LastRunID][s.target()] = s
			}
		}
		s, ok := shown[e.LastRunID][e.TestID]
		if !ok {
			s = suspect{TestID: e.TestID, root: e.Root}
		}
		found.tests = append(found.tests, s)
		for _, id := range []string{e.RunID, e.LastRunID} {
			if run, err := led.Artifacts.Run(id); err == nil && found.run.RunID == "" {
				found.run = run
			}
		}
	}
	return nil
}

// listFailing reads what failed or did not finish in a run, in recorded order.
func listFailing(led *ledger.Ledger, runID string, wanted func(sdk.TestID) bool) ([]suspect, error) {
	var tests []suspect
	index := map[sdk.TestID]int{}
	add := func(s suspect) {
		if _, ok := index[s.TestID]; !ok && wanted(s.TestID) {
			index[s.TestID] = len(tests)
			tests = append(tests, s)
		}
	}
	err := led.Artifacts.Results(runID, func(r api.Result) bool {
		if r.Status == sdk.Failed && !r.Derived || r.Status == sdk.Unfinished {
			add(suspect{TestID: r.TestID, root: r.Root, fixture: r.Fixture})
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	err = led.Artifacts.Failures(runID, func(f api.Failure) bool {
		id := f.TestID
		add(suspect{TestID: id})
		if i, ok := index[id]; ok && tests[i].trace.Kind == "" {
			tests[i].trace = classify.TraceOf(f, ledger.Headline(f))
		}
		return true
	})
	slices.SortStableFunc(tests, func(a, b suspect) int { return strings.Compare(a.Suite, b.Suite) })
	return tests, err
}

// selectNamed selects the tests that the user named, each by its name, the end of that
// after a "/", the test that contains it, or its suite.
func (f suspects) selectNamed(names, prefixes []string) (suspects, error) {
	if len(names) == 0 || len(f.tests) == 0 {
		return f, nil
	}
	var suites api.SuiteNames
	suites.LearnPrefixes(prefixes)
	taken := make([]bool, len(f.tests))
	for _, name := range names {
		met := false
		for _, isMeant := range []func(suspect) bool{
			func(s suspect) bool { return s.hasName(name, suites) },
			func(s suspect) bool { return s.endsWith(name) },
		} {
			for i, s := range f.tests {
				if isMeant(s) {
					met, taken[i] = true, true
				}
			}
			if met {
				break
			}
		}
		if !met {
			return f, &api.UsageError{Reason: fmt.Sprintf("no test named %q failed", name), Advice: api.Advice{Operation: api.AdviseFailures}}
		}
	}
	var kept []suspect
	for i, s := range f.tests {
		if taken[i] {
			kept = append(kept, s)
		}
	}
	f.tests = kept
	return f, nil
}

func (s suspect) hasName(name string, suites api.SuiteNames) bool {
	if name == s.Test || s.root != "" && name == s.root {
		return true
	}
	for _, suite := range []string{s.Suite, suites.Short(s.Suite)} {
		if name == suite || name == prose.QualifiedName(suite, s.Test) || name == suite+" "+s.Test || s.root != "" && (name == prose.QualifiedName(suite, s.root) || name == suite+" "+s.root) {
			return true
		}
	}
	return false
}

func (s suspect) endsWith(name string) bool {
	return strings.HasSuffix(prose.QualifiedName(s.Suite, s.Test), "/"+name) || api.NamesLoosely(s.TestID, name)
}
