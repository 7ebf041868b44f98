package mcp

import (
	"context"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

type whyFailingArgs struct {
	api.WhyRequest
	diff api.DiffRequest
	placing
}

func (a *whyFailingArgs) Params() []api.Param {
	return append(append(a.WhyRequest.Params(), a.diff.Params()...), a.runPlace())
}

func whyFailing() tool {
	return tool{
		name: "why_failing", hints: reads,
		description: "Of a test: when it last passed, since when it fails, which files changed in between. Without test: what differs between two runs.",
		action:      take(handleWhyFailing),
	}
}

// noRoom is said of lists that no further call shows more of.
const noRoom = "an answer has room for no more"

func handleWhyFailing(ctx context.Context, c *call, args whyFailingArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, args.diff.Now)
	if err != nil {
		return answer{}, err
	}
	args.Where, args.diff.Where = where, where
	if args.Test == "" {
		diff, err := query.Diff(ctx, c.session.host, args.diff)
		if err != nil {
			return answer{}, err
		}
		return c.located(ctx, where, diffAnswer(diff))
	}
	if args.diff.Now != "" || args.diff.Before != "" {
		return answer{}, &arguments.Error{Reason: "why_failing: with test, everything on record is looked at. Leave out run_id and against, or test."}
	}
	if args.Test, err = c.testNamed(ctx, api.LastRun{Where: where}, args.Test); err != nil {
		return answer{}, err
	}
	why, err := query.Why(ctx, c.session.host, args.WhyRequest)
	if err != nil {
		return answer{}, err
	}
	return c.located(ctx, where, whyAnswer(why))
}

func whyAnswer(why api.Why) answer {
	return fitted(maxAnswerBytes, 0, cutTestNames, func(n int) answer {
		w := cutWhy(why, n)
		text := strings.TrimSpace(render.Why(w, render.Style{More: noRoom}))
		a := answer{text: []string{text}, object: w}
		return a.withNotes(w.Warnings)
	})
}

// cutWhy is an answer with the first n names of each list; the totals are exact.
func cutWhy(w api.Why, n int) api.Why {
	w.Suite, w.Test, w.File = cutName(w.Suite), cutName(w.Test), cutName(w.File)
	for _, s := range []**api.Sighting{&w.Latest, &w.Skipped, &w.LastPass, &w.FirstFailure, &w.PassesSince, &w.LastFailure} {
		*s = cutSighting(*s)
	}
	if w.Absence != nil {
		absence := *w.Absence
		absence.AgeS = cutSeconds(absence.AgeS)
		absence.Message = cutText(absence.Message, cutDetailBytes, prose.Plain)
		w.Absence = &absence
	}
	for _, c := range []**api.FileChanges{&w.UntilFailure, &w.UntilNow, &w.SinceFailure} {
		if *c != nil {
			cut := cutChanges(**c, n)
			*c = &cut
		}
	}
	w.Parts = cutList(w.Parts[:min(len(w.Parts), n)])
	states := w.FailedStates[:min(len(w.FailedStates), cutTestNames)]
	w.FailedStates = nil
	for _, state := range states {
		w.FailedStates = append(w.FailedStates, cutState(state))
	}
	w.Now = cutSource(w.Now)
	if w.Standing != nil {
		standing := cutEvidence(*w.Standing)
		w.Standing = &standing
	}
	suspects := w.Suspects[:min(len(w.Suspects), n)]
	w.Suspects = make([]api.Suspect, len(suspects))
	for i, s := range suspects {
		s.File = cutListed(s.File)
		w.Suspects[i] = s
	}
	w.Warnings = cutNotes(w.Warnings)
	return w
}

// cutEvidence is a standing of which a text names the state that a test is flaky on.
func cutEvidence(s api.Standing) api.Standing {
	cut := plainStanding(s)
	if s.Flaky != nil {
		cut.Flaky.Fingerprint = cutState(s.Flaky.Fingerprint)
	}
	return cut
}

// cutSource is a state of the sources without the directory that it was found in.
func cutSource(s *api.Source) *api.Source {
	if s == nil {
		return nil
	}
	return &api.Source{Fingerprint: cutState(s.Fingerprint), Kind: s.Kind, Commit: cutState(s.Commit), Branch: cutListed(s.Branch), Dirty: s.Dirty}
}

func cutSighting(s *api.Sighting) *api.Sighting {
	if s == nil {
		return nil
	}
	cut := *s
	cut.SessionID, cut.Kind = cutListed(s.SessionID), cutText(s.Kind, cutWordBytes, prose.Line)
	cut.Message = cutText(s.Message, cutDetailBytes, prose.Plain)
	cut.Fingerprint, cut.Commit, cut.AgeS = cutState(s.Fingerprint), cutState(s.Commit), cutSeconds(s.AgeS)
	return &cut
}

// cutChanges are file changes with the first n names.
func cutChanges(c api.FileChanges, n int) api.FileChanges {
	files := c.Files[:min(len(c.Files), n)]
	c.Files = make([]api.FileChange, len(files))
	for i, f := range files {
		c.Files[i] = api.FileChange{File: cutListed(f.File), Change: f.Change}
	}
	c.Why = cutText(c.Why, cutDetailBytes, prose.Line)
	return c
}

// withNotes puts warnings behind the text, each with its further lines indented.
func (a answer) withNotes(warnings []api.Note) answer {
	var notes []string
	for _, w := range warnings {
		notes = append(notes, "note: "+strings.ReplaceAll(w.Text, "\n", "\n      "))
	}
	if len(notes) > 0 {
		a.text = append(a.text, strings.Join(notes, "\n"))
	}
	return a
}

// diffAnswer tells how the tests of two runs ended otherwise.
func diffAnswer(diff api.RunDiff) answer {
	return fitted(maxAnswerBytes, 0, cutTestNames, func(n int) answer {
		d := cutDiff(diff, n)
		a := answer{text: []string{strings.TrimSpace(render.Diff(d, render.Style{More: noRoom}))}, object: d}
		return a.withNotes(d.Warnings)
	})
}

// cutDiff is a comparison with the first n tests of each list; its counts are
// exact.
func cutDiff(d api.RunDiff, n int) api.RunDiff {
	for _, list := range []*[]api.DiffedTest{&d.NewFailures, &d.FailingNotRun, &d.Fixed, &d.PassedFlaky, &d.PassedOtherwise, &d.StillFailing, &d.Vanished, &d.NewlySkipped, &d.New, &d.Renamed} {
		tests := make([]api.DiffedTest, min(len(*list), n))
		for i := range tests {
			t := (*list)[i]
			t.Suite, t.Test, t.RenamedFrom, t.File = cutListed(t.Suite), cutListed(t.Test), cutListed(t.RenamedFrom), cutListed(t.File)
			t.Kind, t.Message = cutText(t.Kind, cutWordBytes, prose.Line), cutText(t.Message, cutListedBytes, prose.Plain)
			t.Standing = cutStanding(t.Standing)
			tests[i] = t
		}
		*list = tests
	}
	slower := make([]api.SlowerTest, min(len(d.Slower), n))
	for i := range slower {
		t := d.Slower[i]
		t.Suite, t.Test, t.File = cutListed(t.Suite), cutListed(t.Test), cutListed(t.File)
		slower[i] = t
	}
	grown := make([]api.GrownMeasure, min(len(d.More), n))
	for i := range grown {
		m := d.More[i]
		m.Suite, m.Test, m.Section = cutListed(m.Suite), cutListed(m.Test), cutListed(m.Section)
		m.Name, m.Kind = cutText(m.Name, cutWordBytes, prose.Line), cutText(m.Kind, cutWordBytes, prose.Line)
		grown[i] = m
	}
	d.Slower, d.More = slower, grown
	d.Sources = cutChanges(d.Sources, n)
	d.Notes, d.Warnings = cutTexts(d.Notes), cutNotes(d.Warnings)
	for _, run := range []*api.DiffedRun{&d.Before, &d.Now} {
		run.AgeS, run.Source = cutSeconds(run.AgeS), cutSource(run.Source)
		run.SessionID, run.Origin = cutListed(run.SessionID), cutListed(run.Origin)
	}
	return d
}
