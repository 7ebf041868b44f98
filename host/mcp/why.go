package mcp

import (
	"context"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/limits"
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
		description: "Of a test: its last pass, since when it fails, files changed in between. Without test: what differs between two runs.",
		action:      take(handleWhyFailing),
	}
}

// noRoom is said about lists that no further call can show more of.
const noRoom = "an answer has room for no more"

func handleWhyFailing(ctx context.Context, c *call, args whyFailingArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, args.diff.Now)
	if err != nil {
		return answer{}, err
	}
	args.Where, args.diff.Where = where, where
	if args.Test == "" {
		diff, err := query.Diff(ctx, c.session.keeper, args.diff)
		if err != nil {
			return answer{}, err
		}
		return c.nameWorkspace(ctx, where, diffAnswer(diff))
	}
	if args.diff.Now != "" || args.diff.Before != "" {
		return answer{}, &arguments.Error{Reason: "why_failing: with test, everything on record is examined. Leave out run_id and against, or test."}
	}
	if args.Test, err = c.testNamed(ctx, api.LastRun{Where: where}, args.Test); err != nil {
		return answer{}, err
	}
	why, err := query.Why(ctx, c.session.keeper, args.WhyRequest)
	if err != nil {
		return answer{}, err
	}
	return c.nameWorkspace(ctx, where, whyAnswer(why))
}

func whyAnswer(why api.Why) answer {
	return fitAnswer(maxAnswerBytes, 0, limits.MaxListed, func(n int) answer {
		w := limits.Filling(n, why)
		text := strings.TrimSpace(render.Why(w, render.Style{More: noRoom}))
		a := answer{text: []string{text}, object: w}
		return a.withNotes(w.Warnings)
	})
}

// withNotes appends warnings to the text, with their further lines indented.
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

// diffAnswer reports how the outcomes of tests differ between two runs.
func diffAnswer(diff api.RunDiff) answer {
	return fitAnswer(maxAnswerBytes, 0, limits.MaxListed, func(n int) answer {
		d := limits.Filling(n, diff)
		a := answer{text: []string{strings.TrimSpace(render.Diff(d, render.Style{More: noRoom}))}, object: d}
		return a.withNotes(d.Warnings)
	})
}
