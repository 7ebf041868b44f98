package mcp

import (
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
)

// failuresPage is a part of a run's failures for an answer.
type failuresPage struct {
	api.FailuresPage
	// from is how many precede it.
	from int
	// named means that the call named the run, which then need not be the last one.
	named bool
	// held means that the run is not on record, but only remembered by the server.
	held bool
	// refused says how a later call ended that did not lead to a run.
	refused string
	// short is the first of the failures with fewer details, because others at its
	// place have full ones; their number if there is none.
	short int
	// notes are about the whole record of the run.
	notes []string
}

func newFailuresPage(page api.FailuresPage) failuresPage {
	p := failuresPage{notes: render.FailureNotes(api.Run{Integrity: page.Run.Integrity, Stale: limits.Of(page.Run.Stale)})}
	page.Run.Failures, p.short = limitFailures(page.Run.Failures)
	failures := page.Run.Failures
	page.Run.Failures = nil
	p.FailuresPage = limits.Of(page)
	p.Run.Failures = failures
	return p
}

// fullAtOnePlace is how many failures at one place have full details.
const fullAtOnePlace = 2

// limitFailures returns failures for an answer, and the first with fewer details because
// others at its place have full ones; their number if there is none.
func limitFailures(failures []api.Failure) (limited []api.Failure, short int) {
	limited, short = make([]api.Failure, 0, len(failures)), len(failures)
	counts := map[pick.Place]int{}
	for i, f := range failures {
		at := pick.Place{Suite: f.Suite, File: f.File, Line: f.Line}
		if counts[at]++; counts[at] > fullAtOnePlace && f.Line > 0 {
			l := limits.Limiter{As: limits.Repeated}
			less := limits.With(&l, f)
			if l.Shortened || concise.Failure(f).Diff != f.Diff {
				less.Signature = f.Signature
				limited, short = append(limited, less), min(short, i)
				continue
			}
		}
		less := limits.Of(f)
		less.Signature = f.Signature // causes are compared by it
		limited = append(limited, less)
	}
	return limited, short
}

// answer formats the first n failures.
func (p failuresPage) answer(n int) answer {
	shown := p
	shown.Run.Failures = p.Run.Failures[:n]
	o := shown.object()
	blocks, more := shown.describe(&o)
	if len(blocks) == 0 {
		blocks = []string{o.Message}
	}
	if p.Run.State != api.StateRunning {
		more = append(more, p.describeRest(p.Run.FailuresTotal)...)
	}
	o.More = strings.Join(append(more, p.describeRecord()...), "\n")
	a := answer{text: blocks, object: o}
	if o.More != "" {
		a.text = append(a.text, o.More)
	}
	return a
}

// object returns the answer's object, without its sentences.
func (p failuresPage) object() failuresObject {
	run := p.Run
	o := failuresObject{
		RunID: run.RunID, Language: run.Language, Verdict: run.Verdict, AgeS: float64(int(p.Age.Seconds())), FailuresTotal: run.FailuresTotal,
		Failures: foldCauses(run.Failures, render.FirstOfCauses(run.Causes, run.Failures)), Running: run.Running, Integrity: run.Integrity,
	}
	if run.Stale != nil && run.Stale.Changed > 0 {
		o.Stale = run.Stale
	}
	if n := len(run.Failures); n > 0 && p.from+n < p.Recorded {
		o.NextOffset = p.from + n
	}
	if run.State != api.StateRunning {
		counts := countsOf(run)
		o.Status, o.Counts, o.Outstanding, o.Quarantined = statusOf(run), &counts, &run.Outstanding, run.Quarantined
		if run.Verdict != api.Passed && run.Verdict != api.Failed || run.Quarantined+run.Counts.Flaky > 0 {
			o.Reason = run.Reason
		}
	}
	return o
}

// describe sets the sentence of the answer, and returns the list of the failures and what is
// to be said of it. Without blocks, the sentence is the answer.
func (p failuresPage) describe(o *failuresObject) (blocks, more []string) {
	run, age, n := p.Run, p.Age, len(p.Run.Failures)
	what, of := "the last run_tests call", ""
	if p.named {
		of = "run " + run.RunID
		what = of
	}
	switch {
	case run.State == api.StateRunning:
		o.Message = fmt.Sprintf("run %s is still running: its failures are listed once it has ended", run.RunID)
		more = append(more, fmt.Sprintf("get_run{\"run_id\":%q,\"wait\":60} waits until it ends", run.RunID))
	case run.FailuresTotal > 0:
		o.Message = render.FailuresHeader(run, age, of)
		listing := render.Listing(run, age, render.Page{From: p.from, Of: of, Rest: restOf(*o)})
		blocks = append(blocks, strings.TrimRight(listing, "\n"))
		if n == 0 && p.from > 0 {
			more = append(more, fmt.Sprintf("no failure is on record at or after offset %d", p.from))
		}
		if p.short < n {
			more = append(more, fmt.Sprintf("from the third failure at one place on, texts are cut to %d bytes: get_test_output{\"test\":ID} has what a test printed", limits.RepeatedBytes))
		}
	case run.Verdict == api.Passed:
		o.Message = noFailures(run, age, p.named)
	case isUnparsed(run):
		o.Message = noStructuredFailures(run.Language, age)
		more = append(more, render.NotAPass(run, what, age))
	default:
		// Never let "no failures" stand for a run that proved nothing.
		first, rest, _ := strings.Cut(render.NotAPass(run, what, age), "\n")
		if o.Message = first; rest != "" {
			more = append(more, rest)
		}
	}
	return blocks, more
}

// describeRecord says what to know of the record that the failures come from.
func (p failuresPage) describeRecord() []string {
	run := p.Run
	var lines []string
	if p.refused != "" {
		lines = append(lines, p.refused)
	}
	lines = append(lines, p.notes...)
	if run.Running != "" {
		lines = append(lines, stillRunning(run.Running))
	}
	for _, note := range p.Notes {
		lines = append(lines, "note: "+prose.Line(note.Text))
	}
	if p.held {
		lines = append(lines, fmt.Sprintf("run %s is not on record: this is what the server still knows of it; get_run{\"run_id\":%q,\"output\":\"raw\"} has its output", run.RunID, run.RunID))
	}
	return lines
}

// describeRest says what a list of failures does not: how the run ended, unless that is
// obvious, and what else is outstanding.
func (p failuresPage) describeRest(failures int) []string {
	run := p.Run
	c := run.Counts
	partly := c.Unfinished > 0 || c.NeverStarted > 0 || c.BuildFailed > 0 || c.Flaky > 0 || run.TimedOut || run.Cancelled
	var lines []string
	switch {
	case failures > 0 && (partly || run.Verdict != api.Failed):
		lines = append(lines, render.Verdict(run))
	case run.Verdict != api.Passed && run.Verdict != api.Failed:
		lines = append(lines, render.CountsLine(run)) // the reason is said already
	}
	if run.Cancelled {
		lines = append(lines, wasCancelled)
	}
	if run.Verdict == api.Passed && run.Kind == api.KindRun && (run.Selection.Narrows() || run.CaveatText(api.CaveatNarrowed)+run.CaveatText(api.CaveatConfigured) != "") {
		lines = append(lines, "this was a partial run: "+run.Reason)
	}
	switch {
	case run.OutstandingUnquarantined() == 0:
	case p.named:
		lines = append(lines, run.DescribeOutstanding()+" outstanding when it ended")
	case run.Verdict == api.Passed || run.Outstanding > failures:
		lines = append(lines, run.DescribeOutstanding()+" still outstanding: run_failing_tests runs what is, run_tests everything")
	}
	return lines
}

// isUnparsed reports whether nothing is known about a run, not even why, as in a language
// without a parser. A run without a command, such as one of changes that no test can notice,
// printed nothing to parse.
func isUnparsed(run api.Run) bool {
	return len(run.Commands) > 0 && run.Counts == api.Counts{} && run.RunError == "" && !run.TimedOut && !run.Cancelled && run.Verdict != api.ToolError
}

func noFailures(run api.Run, age time.Duration, named bool) string {
	if named {
		return fmt.Sprintf("run %s had no failures (%d tests passed, %s, %s ago)", run.RunID, run.Counts.GreenTests(), prose.Line(run.Language), prose.Duration(age))
	}
	return lastHadNoFailures(run.Counts.GreenTests(), run.Language, age)
}

// restOf says how to see the failures that follow.
func restOf(o failuresObject) string {
	if o.NextOffset == 0 {
		return "the record of the run was truncated and lacks them"
	}
	return fmt.Sprintf("offset %d shows the next", o.NextOffset)
}

// stillRunning says that there is a later run.
func stillRunning(id string) string { return "run " + id + " is still running: get_run shows it" }

// countsOf returns the counts of a run for an object.
func countsOf(run api.Run) runCounts {
	c := run.Counts
	return runCounts{
		Tests: c.Tests, Passed: c.Passed, Failed: c.Failed, Skipped: c.Skipped, Suites: c.Suites, SuitesWithoutTests: c.SuitesWithoutTests,
		Unfinished: c.Unfinished, Cached: c.Cached, Flaky: c.Flaky, NeverStarted: c.NeverStarted, BuildFailed: c.BuildFailed,
	}
}
