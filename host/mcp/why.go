package mcp

import (
	"context"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
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
	names, warnings := [3]string{cutName(w.Suite), cutName(w.Test), cutName(w.File)}, cutNotes(w.Warnings)
	for _, c := range []**api.FileChanges{&w.UntilFailure, &w.UntilNow, &w.SinceFailure} {
		if *c != nil {
			cut := **c
			cut.Files = firstN(cut.Files, n)
			*c = &cut
		}
	}
	w.Parts, w.Suspects = firstN(w.Parts, min(n, cutTestNames)), firstN(w.Suspects, n)
	w.FailedStates = firstN(w.FailedStates, cutTestNames)
	if w.Standing != nil {
		standing := cutEvidence(*w.Standing)
		w.Standing = &standing
	}
	w = limit(w)
	w.Suite, w.Test, w.File, w.Warnings = names[0], names[1], names[2], warnings
	return w
}

// firstN returns the first n entries of a list, which is there even if it is empty.
func firstN[T any](list []T, n int) []T { return append([]T{}, list[:min(len(list), n)]...) }

// cutEvidence is a standing of which a text names the state that a test is flaky on.
func cutEvidence(s api.Standing) api.Standing {
	cut := plainStanding(s)
	if s.Flaky != nil {
		cut.Flaky.Fingerprint = cutState(s.Flaky.Fingerprint)
	}
	return cut
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
		*list = firstN(*list, n)
		for i := range *list {
			(*list)[i].Standing = cutStanding((*list)[i].Standing)
		}
	}
	d.Slower, d.More, d.Sources.Files = firstN(d.Slower, n), firstN(d.More, n), firstN(d.Sources.Files, n)
	notes, warnings := cutTexts(d.Notes), cutNotes(d.Warnings)
	d = limit(d)
	d.Notes, d.Warnings = notes, warnings
	return d
}
