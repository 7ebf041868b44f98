package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/covering"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
)

// shownFailures is how many failures the answer to a run shows.
const shownFailures = 10

// ofJob returns the answer about a job: its outcome or progress. late reports whether
// it had ended before the call.
func (c *call) ofJob(ctx context.Context, j *job, output string, late bool) (answer, error) {
	if !j.hasEnded() {
		return c.progressAnswer(j), nil
	}
	switch o := j.outcome; {
	case o.said != nil:
		return *o.said, nil
	case o.run != nil:
		t := runTelling{run: *o.run, raw: o.raw}
		if late {
			c.compareSources(ctx, &t)
		}
		if errors.Is(context.Cause(j.ctx), errUnwanted) {
			t.note = joinLines(t.note, "it was stopped: the call that waited for it was cut off, and no other asked for it within "+inSeconds(c.session.jobs.lease))
		}
		return c.ofRun(ctx, t, output)
	case j.stopped, errors.Is(j.err, context.Canceled):
		text := "run " + j.id + " was stopped before it began: nothing was run"
		return answer{text: []string{text}, object: runObject{RunID: j.id, Status: "cancelled", Message: text}, failed: true}, nil
	}
	return answer{}, j.err
}

// progressAnswer returns the answer about a job that has not ended.
func (c *call) progressAnswer(j *job) answer {
	s := j.status()
	o := runObject{RunID: j.id, Status: s.word, Workspace: c.session.nameElsewhere(j.where.Dir)}
	if s.run != nil {
		o.Language, o.Command = s.run.Language, commandLine(*s.run)
	}
	if s.waiting != nil && s.waiting.RunID != api.Unknown {
		o.WaitsFor = limits.Of(s.waiting.RunID)
	}
	is := strings.TrimSpace(s.word + " " + otherPlace(o.Workspace))
	o.Message = fmt.Sprintf("run %s is %s: %s; get_run{\"run_id\":%q,\"wait\":60} waits until it ends", j.id, is, s.line(time.Now()), j.id)
	if s.found.FailuresTotal > 0 {
		o.Message += "\nits end tells which failures are in quarantine"
	}
	all := limits.Of(s.found)
	return fitAnswer(maxAnswerBytes, 0, pick.MostFound, func(n int) answer {
		found, o := all.First(n), o
		a := answer{text: []string{o.Message}}
		if found.NotBuiltTotal+found.FailuresTotal > 0 {
			o.Failures, o.FailuresTotal = foldCauses(found.Failures, make([]int, len(found.Failures))), found.FailuresTotal
			o.NotBuilt, o.NotBuiltTotal = found.NotBuilt, found.NotBuiltTotal
			a.text = append(a.text, found.Text())
		}
		a.object = o
		return a
	})
}

// runTelling is a run as told in an answer.
type runTelling struct {
	run api.Run
	// raw is its own raw output; otherwise that is on record.
	raw *api.RawOutput
	// elsewhere is its workspace if that is not the server's own; else empty.
	elsewhere string
	// age is how long ago it ended; nil if the call waited for the end.
	age *time.Duration
	// note is additional information; empty if there is none.
	note string
	// excerpts are the sources around the places of failures.
	excerpts []api.Excerpt
	// changed are the lines that changed since they passed.
	changed *api.ChangedLines
	// code is what the failing tests reach, if nothing is known to have changed.
	code []api.Code
}

// compareSources adds the age of a run that had ended before the call, and what has changed
// since. Everything else is as it was then.
func (c *call) compareSources(ctx context.Context, t *runTelling) {
	age := max(time.Since(t.run.StartedAt.Add(time.Duration(t.run.DurationS*float64(time.Second)))), 0)
	if filepath.IsAbs(t.run.Workspace) {
		recorded, since, err := query.Failures(ctx, c.session.keeper, api.LastRun{Where: api.Where{Dir: t.run.Workspace, Exact: true}, Ref: t.run.RunID}, 1)
		if err != nil {
			t.note = "it is unknown whether files changed since this run: " + errorSentence(err)
		} else {
			age, t.run.Stale = since, recorded.Stale
		}
	}
	t.age = &age
}

// ofRun returns the answer about a run that is on record, or that has raw output of its
// own.
func (c *call) ofRun(ctx context.Context, t runTelling, output string) (answer, error) {
	t.elsewhere = c.session.nameElsewhere(t.run.Workspace)
	t.run.Warnings = adviseElsewhere(t.run.Warnings, t.elsewhere)
	if t.run.State == api.StateRunning {
		return ofRunning(t), nil
	}
	if output == outputResults || output == outputForge {
		a, err := answerResults(ctx, c, t, output)
		if wrong := (*arguments.Error)(nil); err == nil || errors.As(err, &wrong) {
			return a, err
		}
		// A damaged record must not cost the verdict.
		t.note = joinLines(t.note, "the results could not be read, so this is the summary: "+errorSentence(err))
	}
	wantsRaw := output == "raw"
	if output == "" && t.raw == nil {
		var err error
		if wantsRaw, err = project.WantsRawOutput(c.session.keeper.Host, t.run.Workspace); err != nil {
			// A wrong setting for the output must not cost the result.
			t.note = joinLines(t.note, "the default for output is unknown, so this is the summary: "+errorSentence(err))
		}
	}
	if wantsRaw {
		return c.ofRaw(ctx, t)
	}
	t.excerpts = limits.Of(query.Excerpts(ctx, c.session.keeper, t.run))
	if t.changed = limits.Of(query.ChangedLines(ctx, c.session.keeper, t.run)); t.changed == nil {
		t.code = limits.Of(covering.ReachedCode(ctx, c.session.keeper, t.run))
	}
	return fitAnswer(maxAnswerBytes, 0, shownFailures, func(n int) answer {
		o, shown := c.tell(t, n)
		return answer{object: o, text: []string{summaryOf(t, shown)}, failed: t.run.Verdict == api.ToolError, links: linksOf(t, o)}
	}), nil
}

// ofRunning is the answer about a run that has not ended.
func ofRunning(t runTelling) answer {
	run := t.run
	is := strings.TrimSpace("running " + otherPlace(t.elsewhere))
	text := fmt.Sprintf("run %s of session %s is %s, since %s ago; get_run{\"run_id\":%q,\"wait\":60} waits until it ends",
		run.RunID, prose.Line(run.SessionID), is, ago(run.StartedAt), run.RunID)
	return answer{text: []string{text}, object: runObject{
		RunID: run.RunID, Status: "running", Language: run.Language, Workspace: t.elsewhere, Command: commandLine(run), Message: text,
	}}
}

// ofRaw is the answer with a run's raw output, which is not shortened.
func (c *call) ofRaw(ctx context.Context, t runTelling) (answer, error) {
	if t.raw == nil {
		recorded, err := engine.ReadRawOutput(ctx, c.session.keeper, t.run)
		if err != nil {
			return answer{}, err
		}
		t.raw = &recorded
	}
	o, _ := c.tell(t, shownFailures)
	o.Raw = rawText(*t.raw)
	a := answer{object: o, text: []string{o.Raw}, failed: t.run.Verdict == api.ToolError}
	if !isPlain(t) || t.elsewhere != "" {
		a.text = append(a.text, strings.TrimSuffix(factsOf(t), "\n"))
	}
	return a, nil
}

// tell returns the object of an answer about a run, with its first n failures.
func (c *call) tell(t runTelling, n int) (*runObject, pick.Picked) {
	run := t.run
	shown := pick.Failures(run.Failures, run.FailuresTotal, n)
	shown.At = limits.Of(shown.At)
	o := objectOf(run, shown, t.changed)
	o.Workspace, o.Message = t.elsewhere, joinLines(o.Message, t.note)
	o.Reached = t.code
	addSource(o.Failures, t.excerpts)
	if t.age != nil {
		age := math.Floor(t.age.Seconds())
		o.AgeS = &age
		o.Language = run.Language // the call may have been about another
	}
	if code := c.session.server.cfg.RunCode; code != nil && run.Verdict != api.Passed {
		if word, retry := code(run); word != "" {
			o.Code, o.Retry = word, &retry
		}
	}
	return &o, shown
}

// linksOf links the log of a run of which an answer shows no failure.
func linksOf(t runTelling, o *runObject) []*mcp.ResourceLink {
	if t.run.Verdict == api.Passed || t.raw != nil || len(o.Failures) > 0 {
		return nil
	}
	return []*mcp.ResourceLink{{URI: logURI(t.run.RunID), Name: "log of run " + t.run.RunID, MIMEType: "text/plain"}}
}

// adviseElsewhere makes notes about a workspace elsewhere name directories so that a call can:
// a relative one would be looked for below the server's own.
func adviseElsewhere(notes []api.Note, elsewhere string) []api.Note {
	notes = slices.Clone(notes)
	for i, n := range notes {
		if n.Advice.Operation == api.AdviseRunThere && elsewhere != "" {
			notes[i].Advice.Of = filepath.Join(elsewhere, filepath.FromSlash(n.Advice.Of))
		}
	}
	return notes
}

// rawText returns the runner's own output, made safe and not shortened.
func rawText(raw api.RawOutput) string { return prose.Plain(strings.TrimSuffix(render.Raw(raw), "\n")) }

// isPlain reports whether the runner's own output alone shows how a run ended: with a pass
// that covers everything that the call named, or not with a pass.
func isPlain(t runTelling) bool {
	run := t.run
	if slices.ContainsFunc(run.Warnings, isLess) || run.Integrity != nil || run.Affected != nil || run.Cancelled || run.Counts.Flaky > 0 || run.Stale != nil && run.Stale.Changed > 0 || t.note != "" {
		return false
	}
	if run.Quarantined > 0 {
		return false
	}
	return run.ExitCode > 0 || run.Verdict == api.Passed && run.ExitCode == 0 && run.Outstanding == 0 && run.CaveatText(api.CaveatConfigured) == ""
}

// isLess reports whether a note weakens a run. The choice of plugin does not.
func isLess(n api.Note) bool { return n.Code != api.NotePluginChoice }

// factsOf returns the summary of a run without what its own output shows.
func factsOf(t runTelling) string {
	run := shortenRun(t.run, pick.Picked{})
	run.Requested, run.Unfinished, run.NeverStarted = nil, nil, nil
	run.Counts.Unfinished, run.Counts.NeverStarted = 0, 0
	return render.Summary(run, render.Style{}) + tailOf(t)
}

// summaryOf returns the text about a run: the first failures, additional information,
// the verdict, and the runner's exit code last.
func summaryOf(t runTelling, shown pick.Picked) string {
	text := render.Summary(shortenRun(t.run, shown), render.Style{Whole: wholeIn(t.run), Excerpts: t.excerpts, Changed: t.changed, Code: t.code})
	if line := shown.Rest(t.run.RunID); line != "" {
		text += line + "\n"
	}
	text += tailOf(t)
	if t.run.TimedOut {
		text += render.TimedOutAfter(api.PassedDeadline(t.run)) + "\n"
	}
	return text + render.EndLine(t.run)
}

// tailOf returns our lines after the verdict.
func tailOf(t runTelling) string {
	var lines []string
	add := func(line string) {
		if line != "" {
			lines = append(lines, line+"\n")
		}
	}
	add(strings.TrimSuffix(render.AffectedChosen(limits.Of(t.run.Affected), render.Style{More: noRoom}), "\n"))
	add(nextStep(t.run))
	if t.run.Cancelled {
		add(wasCancelled)
	}
	add(t.note)
	if t.age != nil {
		add("this run ended " + prose.Duration(*t.age) + " ago")
	}
	add(otherPlace(t.elsewhere))
	return strings.Join(lines, "")
}

// wasCancelled describes a run that did not reach its end.
const wasCancelled = "cancelled: the run was stopped before its end; its results so far are kept"

// nextStep says what is left if a run passed and more is outstanding, so that it is not
// taken for a pass of everything, or if it ran nothing.
func nextStep(run api.Run) string {
	switch {
	case run.Advice.Operation == api.AdviseRunGone, run.Advice.Operation == api.AdviseOutstanding:
		return "" // its message says what is left
	case statusOf(run) == statusOutstanding:
		return fmt.Sprintf("so this is not a pass of everything: run_failing_tests runs the next of them (limit up to %d), run_tests everything", api.MaxRerunLimit)
	case run.Verdict == api.Passed && run.OutstandingUnquarantined() > 0 && run.Kind == api.KindRun:
		return "so this is not a pass of everything: run_failing_tests runs what is outstanding"
	case run.Affected != nil && run.Affected.Everything == "" && run.Verdict == api.NothingRan:
		return "run_tests without affected runs everything"
	case run.Affected != nil && run.Verdict == api.Passed && run.Affected.LeftOutTests+run.Affected.LeftOutSuites > 0:
		return "so this is not a pass of everything: finish with run_tests without affected"
	case run.Verdict == api.NothingRan && run.Kind == api.KindRun:
		return "list_tests lists what there is to run"
	}
	return ""
}

// shortenRun returns a run with what its summary shows, each part bounded.
func shortenRun(run api.Run, p pick.Picked) api.Run {
	run.Failures = p.Shown
	run.Requested = slices.DeleteFunc(slices.Clone(run.Requested), func(r api.Requested) bool {
		return r.Outcome == api.OutcomePassed || r.Outcome == api.OutcomeFailed
	})
	run = limits.Of(run)
	counts := map[pick.Place]int{}
	for i, f := range run.Failures {
		lines, way := concise.Lines, wholeIn(run)(f)
		at := pick.Place{Suite: f.Suite, File: f.File, Line: f.Line}
		if counts[at]++; counts[at] > fullAtOnePlace && f.Line > 0 {
			lines, way = repeatedLines, ""
		}
		run.Failures[i] = shortenFailure(f, lines, way)
		run.Failures[i].Signature = p.Shown[i].Signature // its causes are compared
	}
	run.FailuresTotal = len(run.Failures)
	if run.Affected != nil && nextStep(run) != "" {
		run.Advice = api.Advice{} // it says so, too
	}
	run.Message, run.Advice = api.AppendAdvice(run.Message, run.Advice, limits.Advice), api.Advice{}
	return run
}

// repeatedLines is how many lines a text of a failure has if others at its place have more:
// enough to see whether it is the same again.
const repeatedLines = 6

// shortenFailure limits the long texts of a failure to so many lines. way says how to see
// the others.
func shortenFailure(f api.Failure, lines int, way string) api.Failure {
	f = concise.Failure(f)
	f.Message = concise.Shorten(f.Message, lines, way)
	for _, text := range []*string{&f.Diff.Got, &f.Diff.Want, &f.Diff.Text} {
		*text = concise.Shorten(*text, lines, way)
	}
	return f
}

// wholeIn returns the call that shows all of a test's output.
func wholeIn(run api.Run) func(api.Failure) string {
	return func(f api.Failure) string {
		if !filepath.IsAbs(run.Workspace) || f.Suite == "" {
			return fmt.Sprintf("get_run{\"run_id\":%q,\"output\":\"raw\"}", run.RunID)
		}
		return fmt.Sprintf("get_test_output{\"run_id\":%q,\"test\":%q}", run.RunID, f.ID)
	}
}

// addLine appends a line of ours to an answer, in both forms.
func (a *answer) addLine(line string) {
	a.text = append(a.text, line)
	switch o := a.object.(type) {
	case *runObject:
		o.Message = joinLines(o.Message, line)
	case runObject:
		o.Message = joinLines(o.Message, line)
		a.object = o
	case notice:
		o.More = joinLines(o.More, line)
		a.object = o
	default:
		a.object = withMore(o, line)
	}
}

// withMore returns another front's object with a line of ours.
func withMore(object any, line string) any {
	raw, err := prose.JSON(object)
	var fields map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &fields) != nil || fields == nil {
		return notice{Message: line} // there is no object
	}
	if fields["more"], err = json.Marshal(line); err != nil {
		return object
	}
	return fields
}

func joinLines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// ago formats how long ago something was.
func ago(t time.Time) string { return prose.Duration(time.Since(t)) }
