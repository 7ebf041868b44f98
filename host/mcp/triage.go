package mcp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/triage"
)

type triageFailuresArgs struct {
	api.TriageRequest
	answering
	placing
}

func (a *triageFailuresArgs) Params() []api.Param {
	return append(a.TriageRequest.Params(), likeRunTests(a.waitParam()), a.runPlace())
}

func triageFailures() tool {
	return tool{
		name: "triage_failures", hints: runs, long: true,
		description: "Runs failing tests on a clean checkout of base, too: introduced, pre_existing or unknown.",
		action:      take(handleTriageFailures),
	}
}

// triageObject says of each failing test whether it fails on the base, too.
type triageObject struct {
	Triages []api.Triage `json:"triages"`
	Message string       `json:"message,omitempty"`
}

func handleTriageFailures(ctx context.Context, c *call, args triageFailuresArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, "")
	if err != nil {
		return answer{}, err
	}
	same := args.TriageRequest // by the names as given
	same.Tests = slices.Clone(args.Tests)
	same.Timeout = 0
	args.Where, args.Timeout = where, api.ClampTimeout(args.Timeout)
	for i, name := range args.Tests {
		if args.Tests[i], err = c.testNamed(ctx, api.LastRun{Where: where}, name); err != nil {
			return answer{}, err
		}
	}
	t := task{id: ledger.NewRunID(), tool: c.tool, where: where, args: same, timeout: args.Timeout}
	return c.startJob(ctx, t, triageWork(c, args.TriageRequest), args.Wait, "")
}

// triageWork returns the work of a triage.
func triageWork(c *call, req api.TriageRequest) work {
	return func(ctx context.Context, l api.Listener) (outcome, error) {
		triages, err := triage.Triage(ctx, c.session.keeper, req, l)
		if err != nil {
			return outcome{}, err
		}
		a, err := c.nameWorkspace(ctx, req.Where, triageAnswer(triages))
		return outcome{said: &a}, err
	}
}

// triageAnswer reports what was found out for each language.
func triageAnswer(triages []api.Triage) answer {
	triages = slices.Clone(triagedOnly(triages))
	most, stopped := 0, len(triages) > 0
	for i, t := range triages {
		stopped = stopped && t.RunError != "" && t.Unknown > 0 && t.Unknown == len(t.Tests)
		triages[i].Tests = firstAlike(introducedFirst(t.Tests))
		most = max(most, len(triages[i].Tests))
	}
	return fitAnswer(maxAnswerBytes, 0, most, func(n int) answer {
		a := answer{failed: stopped}
		o := triageObject{Triages: []api.Triage{}}
		for _, t := range triages {
			t = limits.Filling(n, t)
			t.Message = strings.ReplaceAll(t.Message, "\n", "\n   ") // what a runner says in it stands indented
			o.Triages = append(o.Triages, t)
			o.Message = joinLines(o.Message, t.Message)
			text := strings.TrimSpace(render.Triage(t, render.Style{More: "name some in tests to ask about them"}))
			if rest, ok := strings.CutPrefix(text, t.Message); ok && t.Message != "" {
				a.text, text = append(a.text, t.Message), strings.TrimSpace(rest)
			}
			if text != "" {
				a.text = append(a.text, text)
			}
		}
		a.object = o
		return a
	})
}

// triagedOnly leaves out languages without a run if others have one: a missing run
// would be taken for all of them. If none has one, the first says so.
func triagedOnly(triages []api.Triage) []api.Triage {
	unrun := func(t api.Triage) bool {
		return t.Of == "" && len(t.Tests)+len(t.Warnings) == 0 && t.RunError == ""
	}
	run := slices.DeleteFunc(slices.Clone(triages), unrun)
	if len(run) == 0 {
		return triages[:min(len(triages), 1)]
	}
	return run
}

// maxAlike is how many tests of a suite an answer names that a triage found to be alike.
const maxAlike = 3

// firstAlike leaves out further tests of a suite with the same finding, for the same reason:
// hundreds of them usually have one cause, and the counts have them.
func firstAlike(tests []api.Triaged) []api.Triaged {
	type kind struct {
		suite   string
		finding api.Finding
		why     string
	}
	alike := map[kind]int{}
	return slices.DeleteFunc(tests, func(t api.Triaged) bool {
		k := kind{t.Suite, t.Finding, t.Why}
		alike[k]++
		return alike[k] > maxAlike
	})
}

// introducedFirst sorts tests by finding: introduced failures first.
func introducedFirst(tests []api.Triaged) []api.Triaged {
	sorted := slices.Clone(tests)
	slices.SortStableFunc(sorted, func(a, b api.Triaged) int { return cmp.Compare(findingPlace(a.Finding), findingPlace(b.Finding)) })
	return sorted
}

func findingPlace(f api.Finding) int {
	return slices.Index([]api.Finding{api.Introduced, api.PreExisting, api.Undecided}, f)
}
