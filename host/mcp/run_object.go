package mcp

import (
	"fmt"
	"math"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
)

// runObject is what an agent needs of a run. The fields have the names and meanings of
// the Run object, which is several times as long; status puts the possible states of a
// run into one word.
type runObject struct {
	RunID string `json:"run_id"`
	// Status is queued, running, timeout, cancelled, outstanding (a rerun passed, and
	// more is outstanding), or the verdict.
	Status   string      `json:"status"`
	Verdict  api.Verdict `json:"verdict,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	ExitCode *int        `json:"exit_code,omitempty"`
	Kind     api.Kind    `json:"kind,omitempty"`
	Language string      `json:"language,omitempty"`
	// Workspace is where it ran, if not in the server's own.
	Workspace string `json:"workspace,omitempty"`
	// AgeS is how long ago it ended, if the call did not wait for that.
	AgeS        *float64   `json:"age_s,omitempty"`
	Command     string     `json:"command,omitempty"`
	DurationS   float64    `json:"duration_s,omitempty"`
	Counts      *runCounts `json:"counts,omitempty"`
	Outstanding *int       `json:"outstanding,omitempty"`

	Failures      []api.Failure `json:"failures,omitempty"`
	FailuresTotal int           `json:"failures_total,omitempty"`
	// MoreAt is where most of the failures are that are not shown.
	MoreAt       []place    `json:"more_at,omitempty"`
	Unfinished   []api.Test `json:"unfinished,omitempty"`
	NeverStarted []api.Test `json:"never_started,omitempty"`
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

// runCounts are the counts of a run without those that are mostly zero.
type runCounts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Suites  int `json:"suites"`
	// Tests counts those with a result, once each and without subtests.
	Tests              int `json:"tests,omitempty"`
	SuitesWithoutTests int `json:"suites_without_tests,omitempty"`
	Unfinished         int `json:"unfinished,omitempty"`
	NeverStarted       int `json:"never_started,omitempty"`
	BuildFailed        int `json:"build_failed,omitempty"`
}

// maxCommand bounds the command in an answer, which may name hundreds of tests for a
// rerun. maxWarnings and maxWarning bound the warnings.
const (
	maxCommand  = 240
	maxWarnings = 20
	maxWarning  = 500
)

// objectOf returns the object about a finished run.
func objectOf(run api.Run, shown picked) runObject {
	counts, total, next := countsOf(run), run.FailuresTotal, nextStep(run)
	run = brief(run, shown)
	o := runObject{
		RunID: run.RunID, Status: statusOf(run), Verdict: run.Verdict, Reason: run.Reason,
		ExitCode: &run.ExitCode, Kind: run.Kind, Language: run.Language, Command: commandLine(run),
		DurationS:   math.Round(run.DurationS*1000) / 1000,
		Counts:      &counts,
		Outstanding: &run.Outstanding,
		Failures:    run.Failures, FailuresTotal: total, MoreAt: shown.at,
		Unfinished: run.Unfinished, NeverStarted: run.NeverStarted, NotRun: run.Requested,
		Integrity: run.Integrity, Stale: run.Stale, Warnings: run.Warnings,
		Affected: run.Affected, Coverage: coverageOf(run.Coverage),
		RunError: run.RunError, Message: run.Message, LogURI: "proctor://runs/" + run.RunID + "/log",
	}
	if run.TimedOut {
		o.Message = joinLines(o.Message, render.TimedOutAfter(timeoutOf(run)))
	}
	if run.Cancelled {
		o.Message = joinLines(o.Message, wasCancelled)
	}
	o.Message = joinLines(o.Message, next)
	if o.Stale != nil && o.Stale.Changed == 0 {
		o.Stale = nil
	}
	return o
}

// cutRequested are the first of those requested tests of a rerun that neither
// passed nor failed.
func cutRequested(requested []api.Requested) []api.Requested {
	var cut []api.Requested
	left := 0
	for _, r := range requested {
		switch {
		case r.Outcome == api.OutcomePassed || r.Outcome == api.OutcomeFailed:
		case len(cut) == 2*shownTests:
			left++
		default:
			cut = append(cut, api.Requested{Suite: cutName(r.Suite), Test: cutName(r.Test), Outcome: r.Outcome, Why: cutName(r.Why)})
		}
	}
	if left > 0 {
		cut = append(cut, api.Requested{Suite: fmt.Sprintf("%d more", left), Outcome: api.OutcomeDidNotRun, Why: "not listed here"})
	}
	return cut
}

// cutNotes are the first notes, in the words of the tools.
func cutNotes(notes []api.Note) []api.Note {
	var cut []api.Note
	for _, n := range notes[:min(len(notes), maxWarnings)] {
		text := api.Say(cutText(n.Text, maxWarning, prose.Plain), n.Advice, Advice)
		cut = append(cut, api.Note{Code: n.Code, Text: text})
	}
	if left := len(notes) - len(cut); left > 0 {
		cut = append(cut, api.Note{Code: api.NotePartly, Text: fmt.Sprintf("%d more", left)})
	}
	return cut
}

// textsOf are the texts of notes.
func textsOf(notes []api.Note) []string {
	var texts []string
	for _, n := range notes {
		texts = append(texts, n.Text)
	}
	return texts
}

// cutTexts are the first of some texts.
func cutTexts(texts []string) []string {
	var cut []string
	for _, text := range texts[:min(len(texts), maxWarnings)] {
		cut = append(cut, cutText(text, maxWarning, prose.Plain))
	}
	if left := len(texts) - len(cut); left > 0 {
		cut = append(cut, fmt.Sprintf("%d more", left))
	}
	return cut
}

// statusOutstanding is that of a rerun that passed while more is outstanding.
const statusOutstanding = "outstanding"

// statusOf puts how a run ended into one word.
func statusOf(run api.Run) string {
	switch {
	case run.TimedOut:
		return "timeout"
	case run.Cancelled:
		return "cancelled"
	case run.Verdict == api.Passed && run.Kind == api.KindRerun && run.Outstanding > 0:
		return statusOutstanding
	}
	return string(run.Verdict)
}

// commandLine is what was executed first.
func commandLine(run api.Run) string {
	if len(run.Commands) == 0 {
		return ""
	}
	return cutText(prose.ShellLine(run.Commands[0].Argv), maxCommand, prose.Line)
}

// timeoutOf is the time that a run had.
func timeoutOf(run api.Run) time.Duration {
	return time.Duration(run.TimeoutS * float64(time.Second))
}

// cutIntegrity is what no longer verifies anything, with the first names of each
// kind; the totals are exact.
func cutIntegrity(i *api.Integrity) *api.Integrity {
	if i == nil {
		return nil
	}
	cut := *i
	cut.Vanished, cut.NewlySkipped = firstOf(i.Vanished), firstOf(i.NewlySkipped)
	cut.Gone, cut.Renamed = i.Gone[:min(len(i.Gone), cutTestNames)], i.Renamed[:min(len(i.Renamed), cutTestNames)]
	cut = limit(cut)
	return &cut
}
