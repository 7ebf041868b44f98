package mcp

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
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
		api.Param{Value: &a.File, Tool: "file", Agent: "Source file."},
		api.Param{Value: &a.Cursor, Tool: "cursor", Agent: "next_cursor of the page before."},
		a.runPlace())
}

func testHistory() tool {
	return tool{
		name: "test_history", hints: reads,
		description: "Results across sessions. Of a test: run by run. Of a file: how sessions left it. Else the tests worth knowing of.",
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
	h, err := query.History(ctx, c.session.host, args.HistoryRequest)
	if err != nil {
		return answer{}, err
	}
	return c.located(ctx, where, historyAnswer(h, from, limit))
}

// cursorOf is the place in a list that a cursor stands for.
func cursorOf(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	from, err := strconv.Atoi(cursor)
	if err != nil || from < 0 {
		return 0, &arguments.Error{Reason: "test_history: cursor " + strconv.Quote(arguments.Short(cursor)) + " is none that it gave. Use next_cursor of the page before, or leave it out."}
	}
	return min(from, api.MaxHistoryLimit), nil
}

// inWorkspace is a file as the history knows it: relative to the workspace.
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

// historyAnswer is a page of an answer that begins at its first entry.
func historyAnswer(h api.History, from, limit int) answer {
	most := 0
	for _, n := range []int{len(h.Tests), len(h.Timeline), len(h.Entries), len(h.Durations)} {
		most = max(most, min(n-from, limit))
	}
	return fitted(maxAnswerBytes, min(1, most), most, func(n int) answer {
		o := historyPage(h, from, n)
		text := strings.TrimSpace(render.History(o.left(from), render.Style{More: o.way()}))
		a := answer{object: o}
		// What stands in place of a list is a block of its own.
		if rest, ok := strings.CutPrefix(text, prose.Line(o.Message)); ok && o.Message != "" {
			a.text, text = append(a.text, o.Message), strings.TrimSpace(rest)
		}
		if text != "" {
			a.text = append(a.text, text)
		}
		return a
	})
}
