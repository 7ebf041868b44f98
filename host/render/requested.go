package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// maxAlike is how many requested tests with the same outcome have a line each.
const maxAlike = 3

// end is how a requested test ended, and why.
type end struct {
	outcome api.Outcome
	why     string
}

// groupRequested groups the requested tests of a rerun that did not simply pass or fail by
// their ends: those that failed are above with all that is known.
func groupRequested(requested []api.Requested) (ends []end, tests map[end][]sdk.TestID) {
	tests = map[end][]sdk.TestID{}
	for _, r := range requested {
		if r.Outcome != api.OutcomeDidNotRun && r.Outcome != api.OutcomeSkipped {
			continue
		}
		e := end{r.Outcome, r.Why}
		if tests[e] == nil {
			ends = append(ends, e)
		}
		tests[e] = append(tests[e], r.TestID)
	}
	return ends, tests
}

// writeRequested names the requested tests of a rerun that did not simply pass or fail.
func writeRequested(b *strings.Builder, requested []api.Requested, style Style, p painter) {
	ends, tests := groupRequested(requested)
	for _, e := range ends {
		var names []string
		for _, t := range tests[e] {
			names = append(names, prose.Line(name(t.Suite, t.Test)))
		}
		what := p.paint(yellow, strings.ReplaceAll(string(e.outcome), "_", " ")+":")
		why := ""
		if e.why != "" {
			why = " (" + prose.Line(e.why) + ")"
		}
		if len(names) <= maxAlike {
			for _, n := range names {
				fmt.Fprintf(b, "%s %s%s\n", what, n, why)
			}
			continue
		}
		fmt.Fprintf(b, "%s %s%s\n", what, api.Plural(len(names), "test"), why)
		writeCapped(b, names, len(names), style)
	}
	if len(ends) > 0 {
		b.WriteByte('\n')
	}
}

// writeUndone names the tests that never started. If nothing is known about any test, it
// counts them by suite instead.
func writeUndone(b *strings.Builder, run api.Run, style Style) {
	if !isUntold(run) || style.Verbose {
		writeNames(b, api.Plural(run.Counts.NeverStarted, "test")+" "+undone(run), run.NeverStarted, run.Counts.NeverStarted, style)
		return
	}
	if run.Counts.NeverStarted == 0 {
		return
	}
	var suites []string
	tests := map[string]int{}
	for _, t := range run.NeverStarted {
		if tests[t.Suite] == 0 {
			suites = append(suites, t.Suite)
		}
		tests[t.Suite]++
	}
	fmt.Fprintf(b, "%s %s:\n", api.Plural(run.Counts.NeverStarted, "test"), undone(run))
	lines := make([]string, 0, len(suites))
	for _, s := range suites {
		if len(run.NeverStarted) < run.Counts.NeverStarted {
			lines = append(lines, prose.Line(s)) // not all have names here
		} else {
			lines = append(lines, prose.Line(s)+": "+api.Plural(tests[s], "test"))
		}
	}
	if len(run.NeverStarted) < run.Counts.NeverStarted {
		lines = append(lines, "and maybe others")
	}
	writeCapped(b, lines, len(lines), style)
	b.WriteByte('\n')
}

// undone returns the words for selected tests without a result.
func undone(run api.Run) string {
	if isUntold(run) {
		return "without a result"
	}
	return "never started"
}

// isUntold reports whether the runner was stopped before it reported anything: one that
// prints at its end may have run them all.
func isUntold(run api.Run) bool {
	c := run.Counts
	return (run.TimedOut || run.Cancelled || run.Signal != "") && c.Suites+c.Passed+c.Failed+c.Skipped+c.Unfinished == 0
}

// writeCapped writes the first names, one a line.
func writeCapped(b *strings.Builder, names []string, total int, style Style) {
	if !style.Verbose {
		names = names[:min(len(names), maxNames)]
	}
	for _, n := range names {
		b.WriteString(indent + n + "\n")
	}
	if total > len(names) {
		fmt.Fprintf(b, "%sand %d more\n", indent, total-len(names))
	}
}
