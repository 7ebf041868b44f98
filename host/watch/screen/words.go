package screen

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/host/watch"
	"github.com/proctorhq/proctor/sdk"
)

// maxStill is how many of the tests that still fail are named.
const maxStill = 3

// occasion says why a round runs.
func occasion(r watch.Round) string {
	text := ""
	switch {
	case len(r.Saved) > 0:
		text = prose.Line(watch.Name(r.Saved)) + " changed"
	case r.First:
		text = "start"
	default:
		text = wordFor(r.What)
	}
	if r.Restarted {
		text = "restarted: " + text
	}
	if n := narrowing(r.Narrow); n != "" {
		text += " · " + n
	}
	return text
}

// wordFor names what a round runs.
func wordFor(w watch.What) string {
	switch w {
	case watch.Everything:
		return "all tests"
	case watch.Failed:
		return "failed tests"
	case watch.Affected:
		return "what uncommitted changes can break"
	case watch.Update:
		return "update of golden files"
	}
	return "what changed since the last round"
}

func narrowing(n watch.Narrow) string {
	var parts []string
	if n.Package != "" {
		parts = append(parts, "only "+concise.Narrow(prose.Line(n.Package)))
	}
	if n.Filter != "" {
		parts = append(parts, "only tests like "+concise.Narrow(prose.Line(n.Filter)))
	}
	return strings.Join(parts, ", ")
}

// isGreen reports whether all is well after a round, as far as is known: a pass of a few
// tests does not hide older failures.
func isGreen(r watch.Result) bool {
	return r.Err == nil && !r.Stopped && r.Still.Total == r.Still.Quarantined && !slices.ContainsFunc(r.Runs, isRed)
}

// isRed reports whether a run did not pass. A run of what a change can break has nothing
// to run if the change affects no test, nor has one of what is outstanding if that was
// removed, which is not red.
func isRed(run api.Run) bool {
	return run.Verdict != api.Passed && !isUnaffected(run) && countGone(run) == 0
}

// countGone counts the tests that were outstanding and exist no more, if that is all there
// is to say of a run.
func countGone(run api.Run) int {
	if run.Kind != api.KindRerun || run.Verdict != api.NothingRan || run.Outstanding > 0 || run.Integrity == nil {
		return 0
	}
	return run.Integrity.GoneTotal
}

func isUnaffected(run api.Run) bool {
	return run.Verdict == api.NothingRan && run.Affected != nil && run.Affected.ChosenTests+run.Affected.ChosenSuites == 0
}

// verdict says in one line how a round ended, and in another what is still red from
// before.
func verdict(r watch.Result, names api.SuiteNames) (line, still string) {
	r.Round.Restarted = false
	parts := []string{occasion(r.Round)}
	for _, run := range r.Runs {
		if text := outcome(run, r.Nouns[run.Language]); text != parts[len(parts)-1] { // such as "does not build" twice
			parts = append(parts, text)
		}
	}
	switch {
	case r.Stopped:
		parts = append(parts, "stopped by you")
	case r.Err != nil:
		parts = append(parts, prose.Line(r.Err.Error()))
	case len(r.Runs) == 0 && r.Round.What == watch.Failed && r.Still.Total == r.Still.Quarantined:
		parts = append(parts, "nothing is outstanding")
	case len(r.Runs) == 0:
		parts = append(parts, "nothing has changed since the last run")
	}
	if n := r.Still.Quarantined; n > 0 && !slices.ContainsFunc(r.Runs, func(run api.Run) bool { return run.Quarantined > 0 }) {
		parts = append(parts, fmt.Sprintf("%d in quarantine", n))
	}
	if elsewhere := uncovered(r); elsewhere != "" {
		parts = append(parts, "not tested: "+prose.Line(elsewhere)+", a project of its own")
	}
	if len(r.Runs) > 0 {
		parts = append(parts, seconds(r.Took))
	}
	return strings.Join(parts, " · "), stillRed(r, names)
}

// uncovered returns the project below the workspace that a file was saved in and whose tests
// no run of the workspace includes; empty if there is none.
func uncovered(r watch.Result) string {
	for _, run := range r.Runs {
		for _, n := range run.Warnings {
			within := func(file string) bool { return strings.HasPrefix(file, n.Advice.Of+"/") }
			if n.Code == api.NoteNotTested && n.Advice.Operation == api.AdviseRunThere && slices.ContainsFunc(r.Round.Saved, within) {
				return n.Advice.Of
			}
		}
	}
	return ""
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// soFar counts the results of a round in progress.
func soFar(p sdk.Progress) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{p.Failed, "failed"}, {p.Passed, "passed"}, {p.Skipped, "skipped"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		return "no results yet"
	}
	return strings.Join(parts, " · ")
}

// outcome says how a run of a round ended, to users who call a suite noun.
func outcome(run api.Run, noun string) string {
	kind := "test"
	switch {
	case run.Kind == api.KindRerun:
		kind = "outstanding test"
	case run.Affected != nil && run.Affected.Everything == "":
		kind = "affected test"
	}
	c := run.Counts
	switch {
	case isUnaffected(run) && run.Affected.ChangedTotal == 0 && run.Affected.Base != "":
		return "nothing has changed since " + prose.Line(run.Affected.Base)
	case isUnaffected(run):
		return "no test can notice it"
	case run.Cancelled && (run.Verdict == api.Incomplete || run.Verdict == api.Failed):
		return strings.Join(render.HowFar(c), ", ")
	case countGone(run) == 1:
		return "1 outstanding test no longer exists"
	case countGone(run) > 1:
		return fmt.Sprintf("%d outstanding tests no longer exist", countGone(run))
	case run.Verdict == api.Passed && c.TestsPassed > 0:
		text := api.Plural(c.TestsPassed, kind) + " passed" + api.OfThemCached(c.TestsPassed, c.TestsCached)
		if c.TestsSkipped > 0 {
			text += fmt.Sprintf(", %d skipped", c.TestsSkipped)
		}
		return prose.Line(api.WithCaveats(text, excuses(run)))
	case run.Verdict == api.Failed && c.Tests > 0 && c.FailedTests() > 0:
		text := fmt.Sprintf("%d of %s failed", c.FailedTests(), api.Plural(c.Tests, kind))
		if n := render.WithoutEnd(c); n > 0 {
			text += fmt.Sprintf(", %d never got to an end", n)
		}
		for _, also := range run.Caveats {
			text += ", " + prose.Line(also.Text)
		}
		return text
	case run.Verdict == api.BuildFailed:
		return "does not build"
	case run.Verdict == api.NothingRan:
		return prose.InWordsButNames(prose.Line(run.Reason), noun)
	}
	return run.Verdict.Words() + ": " + prose.InWordsButNames(prose.Line(run.Reason), noun)
}

// excuses returns what a pass excuses, and what the runner's arguments and settings leave out
// of it. What it leaves out otherwise, the round has said.
func excuses(run api.Run) []api.Caveat {
	return slices.DeleteFunc(slices.Clone(run.Caveats), func(c api.Caveat) bool {
		return !slices.Contains([]api.CaveatCode{api.CaveatFlaky, api.CaveatQuarantined, api.CaveatNarrowed, api.CaveatConfigured}, c.Code)
	})
}

// stillRed names what was outstanding before the round and still is; empty if nothing is.
func stillRed(r watch.Result, suites api.SuiteNames) string {
	var names []string
	named := map[sdk.TestID]bool{} // with other arguments or in another environment it is outstanding once more
	failing := true
	for _, t := range r.Still.Tests {
		id := sdk.TestID{Suite: t.Suite, Test: t.Test}
		shown := func(f api.Failure) bool { return f.Suite == t.Suite && f.Test == t.Test }
		if t.Quarantined || named[id] || slices.ContainsFunc(r.Runs, func(run api.Run) bool { return run.RunID == t.LastRunID || slices.ContainsFunc(run.Failures, shown) }) {
			continue
		}
		named[id], failing = true, failing && t.Reason == "failed"
		names = append(names, shortName(suites, t.Suite, t.Test))
	}
	if len(names) == 0 {
		return ""
	}
	word := "outstanding"
	if failing {
		word = "failing"
	}
	return fmt.Sprintf("%d still %s from before: %s", len(names), word, prose.Listed(names, len(names), maxStill, prose.Line))
}

// shortName names a test without the part of its suite that it shares with others.
func shortName(suites api.SuiteNames, suite, test string) string {
	short := suites.Short(suite)
	if short == suite { // nothing is known of suites before the first run
		short = path.Base(suite)
	}
	switch {
	case suite == "" && test == "":
		return "the run as a whole"
	case test == "":
		return prose.Line(short)
	}
	return prose.Line(short + " " + test)
}

// failureName names a failure, and says that a suite does not build.
func failureName(suites api.SuiteNames, run api.Run, f api.Failure) string {
	name := shortName(suites, f.Suite, f.Test)
	if run.Verdict == api.BuildFailed && f.Suite != "" && f.Test == "" {
		name += " does not build"
	}
	return name
}

// roundLine returns the line about a round that stays in the scrollback.
func roundLine(r watch.Result, suites api.SuiteNames, at time.Time) string {
	var names []string
	named := map[sdk.TestID]bool{}
	add := func(id sdk.TestID, name string) {
		if !named[id] {
			named[id], names = true, append(names, name)
		}
	}
	for _, run := range r.Runs {
		for _, f := range run.Failures {
			if f.Quarantine == "" && run.Verdict != api.Passed { // else it is counted, and a name would read as its pass
				add(f.TestID, failureName(suites, run, f))
			}
		}
	}
	for _, t := range r.Still.Tests {
		if !t.Quarantined {
			add(sdk.TestID{Suite: t.Suite, Test: t.Test}, shortName(suites, t.Suite, t.Test))
		}
	}
	what := "nothing ran"
	switch {
	case r.Stopped:
		what = "stopped"
	case r.Err != nil:
		what = prose.Line(r.Err.Error())
	case len(names) > 0:
		what = prose.Listed(names, len(names), 1, prose.Line)
	case len(r.Runs) > 0:
		of := r.Runs[len(r.Runs)-1]
		if i := slices.IndexFunc(r.Runs, isRed); i >= 0 {
			of = r.Runs[i]
		}
		what = outcome(of, r.Nouns[of.Language])
		if elsewhere := uncovered(r); elsewhere != "" {
			what += ", not tested: " + prose.Line(elsewhere)
		}
	}
	if n := narrowing(r.Round.Narrow); n != "" {
		what += ", " + n
	}
	if len(r.Round.Saved) > 0 {
		what += " (" + prose.Line(watch.Name(r.Round.Saved)) + ")"
	}
	return at.Format(time.TimeOnly) + " " + mark(isGreen(r), r) + " " + what
}

// mark is the sign of a round: that nothing failed is no pass of what was not tested.
func mark(ok bool, r watch.Result) string {
	switch {
	case !ok:
		return "✗"
	case uncovered(r) != "":
		return "–"
	}
	return "✓"
}
