package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

type testHistoryArgs struct {
	api.HistoryRequest
	File, Cursor string
	placing
}

func (a *testHistoryArgs) Params() []api.Param {
	return append(a.HistoryRequest.Params(),
		api.Param{Value: &a.File, Tool: "file"},
		api.Param{Value: &a.Cursor, Tool: "cursor"},
		a.runPlace())
}

func testHistory() tool {
	return tool{
		name: "test_history", hints: reads,
		description: "Results across sessions. Of a test: run by run. Of a file: how sessions left it. Else tests worth knowing about.",
		action:      take(handleTestHistory),
	}
}

// historyObject is a page of an answer about the history.
type historyObject struct {
	api.History
	NextCursor string `json:"next_cursor,omitempty"`
}

func handleTestHistory(ctx context.Context, c *call, args testHistoryArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, "")
	if err != nil {
		return answer{}, err
	}
	from, err := cursorOf(args.Cursor)
	if err != nil {
		return answer{}, err
	}
	switch {
	case args.Name != "" && args.File != "":
		return answer{}, &arguments.Error{Reason: "test_history: give test or file, not both."}
	case args.File != "":
		args.Name = inWorkspace(where, args.File)
	default:
		if args.Name, err = c.testNamed(ctx, api.LastRun{Where: where}, args.Name); err != nil {
			return answer{}, err
		}
	}
	limit := api.ClampHistoryLimit(args.Limit)
	args.Where, args.Limit = where, min(from+limit, api.MaxHistoryLimit)
	h, err := query.History(ctx, c.session.keeper, args.HistoryRequest)
	if err != nil {
		return answer{}, err
	}
	return c.nameWorkspace(ctx, where, historyAnswer(h, from, limit))
}

// cursorOf returns the place in a list that a cursor stands for.
func cursorOf(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	from, err := strconv.Atoi(cursor)
	if err != nil || from < 0 {
		return 0, &arguments.Error{Reason: "test_history: cursor " + strconv.Quote(arguments.Short(cursor)) + " is not one it returned. Use next_cursor of the previous page, or leave it out."}
	}
	return min(from, api.MaxHistoryLimit), nil
}

// inWorkspace returns a file as the history knows it: relative to the workspace.
func inWorkspace(where api.Where, file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(where.Dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// historyAnswer returns the page of an answer that begins at this entry.
func historyAnswer(h api.History, from, limit int) answer {
	most := 0
	for _, n := range []int{len(h.Tests), len(h.Timeline), len(h.Entries), len(h.Durations)} {
		most = max(most, min(n-from, limit))
	}
	return fitAnswer(maxAnswerBytes, min(1, most), most, func(n int) answer {
		o := historyPage(h, from, n)
		text := strings.TrimSpace(render.History(o.pageFrom(from), render.Style{More: o.nextPage()}))
		a := answer{object: o}
		// The text in place of a list gets its own block.
		if rest, ok := strings.CutPrefix(text, prose.Line(o.Message)); ok && o.Message != "" {
			a.text, text = append(a.text, o.Message), strings.TrimSpace(rest)
		}
		if text != "" {
			a.text = append(a.text, text)
		}
		return a
	})
}

// historyPage returns what follows an entry of each list, at most n of each. The totals
// count everything.
func historyPage(h api.History, from, n int) historyObject {
	to := from + n
	page := h
	if len(h.Timeline) == 0 { // otherwise it is the one test of the timeline
		page.Tests = pageOf(h.Tests, from, to)
	}
	page.Timeline, page.Entries, page.Durations = pageOf(h.Timeline, from, to), pageOf(h.Entries, from, to), pageOf(h.Durations, from, to)
	page.Rates, page.Measures = pageOf(h.Rates, from, to), pageOf(h.Measures, from, to)
	page.TimelineCut = h.TimelineCut || to < len(h.Timeline)
	o := historyObject{History: limits.Of(page)}
	continues := o.TimelineCut || len(h.Timeline) == 0 && to < h.TestsTotal || to < h.EntriesTotal || to < h.DurationsTotal
	if continues && n > 0 && to < api.MaxHistoryLimit {
		o.NextCursor = strconv.Itoa(to)
	}
	return o
}

// pageOf returns the entries of a list from one place up to another.
func pageOf[T any](list []T, from, to int) []T {
	return list[min(from, len(list)):min(to, len(list))]
}

// pageFrom returns the page with totals that count what follows, so that a report says how
// many those are.
func (o historyObject) pageFrom(from int) api.History {
	h := o.History
	if len(h.Timeline) == 0 {
		h.TestsTotal = max(h.TestsTotal-from, 0)
	}
	h.EntriesTotal, h.DurationsTotal = max(h.EntriesTotal-from, 0), max(h.DurationsTotal-from, 0)
	return h
}

// nextPage says how to see what follows.
func (o historyObject) nextPage() string {
	if o.NextCursor == "" {
		return "name a file or a test to see them: no list goes beyond this"
	}
	return fmt.Sprintf("cursor %q shows the next", o.NextCursor)
}
