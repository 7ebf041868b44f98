package mcp

import (
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// runObject is what an agent needs of a run. The fields have the names and meanings of
// the Run object, which is several times as long; status puts the possible states of a
// run into one word.
type runObject struct {
	RunID string `json:"run_id"`
	// Status is queued, running, timeout, cancelled, outstanding (a rerun passed, and
	// more is outstanding), or the verdict.
	Status string `json:"status"`
	// Verdict is set if it is not the status, and Reason if the counts do not say it.
	Verdict api.Verdict `json:"verdict,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	// ExitCode is set if it is not 0 for a pass, or 1 for tests that failed.
	ExitCode *int     `json:"exit_code,omitempty"`
	Kind     api.Kind `json:"kind,omitempty"`
	Language string   `json:"language,omitempty"`
	// Workspace is where it ran, if not in the server's own.
	Workspace string `json:"workspace,omitempty"`
	// AgeS is how long ago it ended, if the call did not wait for that.
	AgeS        *float64   `json:"age_s,omitempty"`
	Command     string     `json:"command,omitempty"`
	DurationS   float64    `json:"duration_s,omitempty"`
	Counts      *runCounts `json:"counts,omitempty"`
	Outstanding *int       `json:"outstanding,omitempty"`
	// Quarantined and OutstandingQuarantined count known failures that do not decide.
	Quarantined            int `json:"quarantined,omitempty"`
	OutstandingQuarantined int `json:"outstanding_quarantined,omitempty"`

	// FailuresTotal is set if Failures are not all.
	Failures      []toldFailure `json:"failures,omitempty"`
	FailuresTotal int           `json:"failures_total,omitempty"`
	// NotBuilt are suites of a run in progress whose tests cannot run.
	NotBuilt      []pick.NotBuilt `json:"not_built,omitempty"`
	NotBuiltTotal int             `json:"not_built_total,omitempty"`
	// Changed are the lines that changed since the failing tests passed.
	Changed *api.ChangedLines `json:"changed_lines,omitempty"`
	// Reached is what the failing tests reach, if nothing is known to have changed.
	Reached []api.Code `json:"reached_code,omitempty"`
	// MoreAt is where most of the failures are that are not shown.
	MoreAt       []pick.Place `json:"more_at,omitempty"`
	Unfinished   []sdk.TestID `json:"unfinished,omitempty"`
	NeverStarted []sdk.TestID `json:"never_started,omitempty"`
	// Retried are the failed tests that ran again.
	Retried []api.Retried `json:"retried,omitempty"`
	// NotRun are the requested tests of a rerun that neither passed nor failed.
	NotRun    []api.Requested `json:"not_run,omitempty"`
	Integrity *api.Integrity  `json:"integrity,omitempty"`
	Stale     *api.Stale      `json:"stale,omitempty"`
	// Affected and Coverage are set if a run was asked for them.
	Affected *api.Affected `json:"affected,omitempty"`
	Coverage *runCoverage  `json:"coverage,omitempty"`
	Warnings []api.Note    `json:"warnings,omitempty"`
	RunError string        `json:"run_error,omitempty"`
	// Code and Retry are as in a [notice].
	Code  string `json:"code,omitempty"`
	Retry *bool  `json:"retry,omitempty"`
	// WaitsFor is the run that the workspace is busy with.
	WaitsFor string `json:"waits_for,omitempty"`
	Message  string `json:"message,omitempty"`
	Raw      string `json:"raw,omitempty"`
	LogURI   string `json:"log_uri,omitempty"`
}

// runCounts are the counts of a run.
type runCounts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed,omitempty"`
	Skipped int `json:"skipped,omitempty"`
	Suites  int `json:"suites"`
	// Tests counts those with a result, once each and without subtests; 0 if there are no
	// subtests among the others.
	Tests int `json:"tests,omitempty"`
	// Cached counts passes that the runner took from its cache.
	Cached int `json:"cached,omitempty"`
	// Flaky counts failed tests that passed when they were retried.
	Flaky              int `json:"flaky,omitempty"`
	SuitesWithoutTests int `json:"suites_without_tests,omitempty"`
	Unfinished         int `json:"unfinished,omitempty"`
	NeverStarted       int `json:"never_started,omitempty"`
	BuildFailed        int `json:"build_failed,omitempty"`
}

// runCoverage is what the tests of a run executed, with the first suites.
type runCoverage struct {
	api.Coverage
	SuitesTotal int `json:"suites_total"`
}

// maxCommand bounds the command in an answer, which may name hundreds of tests for a
// rerun.
const maxCommand = 240

// objectOf returns the object about a finished run.
func objectOf(run api.Run, shown pick.Picked, changed *api.ChangedLines) runObject {
	counts, total, next, command := countsOf(run), run.FailuresTotal, nextStep(run), commandLine(run)
	var coverage *runCoverage
	if run.Coverage != nil {
		coverage = limits.Of(&runCoverage{*run.Coverage, len(run.Coverage.Suites)})
	}
	first, since := render.FirstOfCauses(run.Causes, shown.Shown), ""
	if changed != nil {
		since = changed.SinceRunID
	}
	run = shortenRun(run, shown)
	o := runObject{
		RunID: run.RunID, Status: statusOf(run), Verdict: run.Verdict, Reason: run.Reason,
		ExitCode: &run.ExitCode, Kind: run.Kind, Language: run.Language, Command: command,
		DurationS:   limits.Seconds(run.DurationS),
		Counts:      &counts,
		Outstanding: &run.Outstanding,
		Quarantined: run.Quarantined, OutstandingQuarantined: run.OutstandingQuarantined,
		Failures: foldCauses(run.Failures, first), FailuresTotal: total, MoreAt: shown.At,
		Unfinished: run.Unfinished, NeverStarted: run.NeverStarted, NotRun: run.Requested, Retried: run.Retried,
		Integrity: run.Integrity, Stale: run.Stale, Warnings: run.Warnings,
		Affected: run.Affected, Coverage: coverage,
		RunError: run.RunError, Message: run.Message, LogURI: logURI(run.RunID),
	}
	if run.TimedOut {
		o.Message = joinLines(o.Message, render.TimedOutAfter(api.PassedDeadline(run)))
	}
	if run.Cancelled {
		o.Message = joinLines(o.Message, wasCancelled)
	}
	o.Message = joinLines(o.Message, next)
	if o.Stale != nil && o.Stale.Changed == 0 {
		o.Stale = nil
	}
	o.Changed = changed
	omitKnown(o.Failures, shown.Shown, since)
	o.omitObvious(run)
	return o
}

// logURI is the resource with the runner's own output.
func logURI(runID string) string { return "proctor://runs/" + runID + "/log" }

// omitObvious omits what other fields say, or what goes without saying: most answers are
// about a pass of everything.
func (o *runObject) omitObvious(run api.Run) {
	if string(o.Verdict) == o.Status {
		o.Verdict = ""
	}
	if o.Kind == api.KindRun {
		o.Kind = ""
		if !run.Selection.Narrows() && len(run.Selection.RunnerArgs) == 0 && len(o.Failures) > 0 {
			o.Command = "" // it runs everything
		}
		if len(o.Failures) > 0 {
			o.Language = "" // the call named it, or there is only one; an older run keeps it
		}
	}
	if run.Kind == api.KindRun && o.Status == string(api.Passed) && *o.Outstanding == 0 {
		o.Outstanding = nil
	}
	if len(o.Failures) > 0 {
		o.LogURI = "" // get_test_output has what matters of it
	}
	if c := o.Counts; c.Tests == c.Passed+c.Failed+c.Skipped {
		c.Tests = 0
	}
	if render.IsNoted(run) {
		o.Unfinished = nil
	}
	tests := api.Plural(run.Counts.TestsPassed, "test") + " passed"
	if o.Status != string(api.Passed) {
		tests = api.Plural(o.FailuresTotal, "failure")
	}
	if o.Reason == tests {
		o.Reason = ""
		if o.Status == string(api.Passed) && len(o.Warnings) == 0 {
			o.Language, o.Command, o.LogURI, o.DurationS = "", "", "", 0
		}
	}
	if o.FailuresTotal == len(o.Failures) {
		o.FailuresTotal = 0
	}
	if code := *o.ExitCode; o.Status == string(api.Passed) && code == 0 || o.Status == string(api.Failed) && code == 1 {
		o.ExitCode = nil
	}
}

// toldFailure is a failure without what other parts of the answer say.
type toldFailure struct {
	api.Failure
	// SameCauseAs is an earlier failure with the same cause, and so with this one's
	// message.
	SameCauseAs string `json:"same_cause_as,omitempty"`
	// Source are the lines before the place, and its own, or those of the test if it is
	// only known where that is declared. Edited reports that the file has
	// changed since the run; then there are none.
	Source []string `json:"source,omitempty"`
	Edited bool     `json:"edited,omitempty"`
}

// foldCauses returns failures as objects have them. first has, for each, the number of the
// first one with the same cause.
func foldCauses(failures []api.Failure, first []int) []toldFailure {
	told := make([]toldFailure, len(failures))
	for i, f := range failures {
		f.Signature = ""
		if told[i].Failure = f; first[i] > 0 {
			told[i].SameCauseAs = failures[first[i]-1].ID
			told[i].Message, told[i].Diff, told[i].Also, told[i].Attributes, told[i].Stack = "", sdk.Diff{}, nil, nil, nil
		}
	}
	return told
}

// addSource adds the sources around the places of failures, each once.
func addSource(failures []toldFailure, excerpts []api.Excerpt) {
	for _, x := range excerpts {
		i := slices.IndexFunc(failures, func(f toldFailure) bool { return f.File == x.File && f.Line == x.Line })
		if i >= 0 {
			failures[i].Source, failures[i].Edited = x.Lines, x.Edited
		}
	}
}

// omitKnown omits what the answer to a run need not say of its failures: what their messages
// say already, and what is true of any failure. since is the run with which the changed lines
// are compared. recorded are the failures with their whole names: only the id names a test
// whose own name is shortened, or not printed as it is.
func omitKnown(failures []toldFailure, recorded []api.Failure, since string) {
	names := map[sdk.TestID]int{}
	causes := map[string]bool{}
	passes := map[string]bool{since: since != ""}
	for _, f := range failures {
		names[f.TestID]++
		causes[f.SameCauseAs] = true
	}
	for i := range failures {
		f := &failures[i]
		if f.Suite != "" && f.TestID == recorded[i].TestID && names[f.TestID] == 1 && !causes[f.ID] {
			f.ID = ""
		}
		f.omitKnown(passes)
	}
}

// omitKnown omits what is said already, such as the runs in which tests passed.
func (f *toldFailure) omitKnown(passes map[string]bool) {
	if concise.SaysComparison(f.Failure) {
		f.Diff = sdk.Diff{}
	}
	if f.Standing == nil {
		return
	}
	s := *f.Standing
	if s.LastPassed != nil {
		if id := s.LastPassed.RunID; passes[id] {
			s.LastPassed, s.Changed, s.ChangedTotal = nil, nil, 0
		} else {
			passes[id] = true
		}
	}
	if s.Resolution == api.StatusUnresolved {
		s.Resolution = ""
	}
	if s.FailedRuns == 1 || s.SameFailure != nil && s.SameFailure.Run == s.FailedRuns {
		s.FailedRuns = 0
	}
	s.SameFailure, s.SimilarFailure = withoutSince(s.SameFailure), withoutSince(s.SimilarFailure)
	f.Standing = &s
}

// withoutSince leaves out the first of the runs, which why_failing names.
func withoutSince(s *api.SameFailure) *api.SameFailure {
	if s == nil {
		return nil
	}
	less := *s
	less.Since, less.SinceID = time.Time{}, ""
	return &less
}

// textsOf returns the texts of notes.
func textsOf(notes []api.Note) []string {
	var texts []string
	for _, n := range notes {
		texts = append(texts, n.Text)
	}
	return texts
}

// statusOutstanding is the status of a rerun that passed while more is outstanding.
const statusOutstanding = "outstanding"

// statusOf says in one word how a run ended.
func statusOf(run api.Run) string {
	switch {
	case run.TimedOut:
		return "timeout"
	case run.Cancelled:
		return "cancelled"
	case run.Verdict == api.Passed && run.Kind == api.KindRerun && run.OutstandingUnquarantined() > 0:
		return statusOutstanding
	}
	return string(run.Verdict)
}

// commandLine returns what was executed first.
func commandLine(run api.Run) string {
	if len(run.Commands) == 0 {
		return ""
	}
	return limits.Cut(prose.ShellLine(run.Commands[0].Argv), maxCommand, prose.Line)
}
