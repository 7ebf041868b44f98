package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/testlist"
)

// listedTestsBytes bounds the tests of a page: errors, warnings and settings need the rest
// of an answer at worst.
const listedTestsBytes = 24 << 10

type listTestsArgs struct {
	api.TestsRequest
	placing
}

func (a *listTestsArgs) Params() []api.Param {
	params := a.TestsRequest.Params()
	for i, p := range params {
		params[i].Same = p.Same || slices.Contains([]string{"packages", "filter", "match_path", "match_contract"}, p.Tool)
	}
	return append(params, a.runPlace())
}

func listTests() tool {
	return tool{
		name: "list_tests", hints: reads,
		description: "The tests that run_tests would run, without subtests; runs none.",
		action:      take(handleListTests),
	}
}

func handleListTests(ctx context.Context, c *call, args listTestsArgs) (answer, error) {
	where, packages, _, err := findProject(ctx, c, args.Workspace, args.Packages)
	args.Packages = packages
	var none *noPlaceError
	if last, ok := c.session.jobs.workspaceOf(""); ok && args.Workspace == "" && errors.As(err, &none) {
		where, err = last, nil // the server has none of its own
	}
	if err != nil {
		return answer{}, err
	}
	args.Where, args.Bytes = where, listedTestsBytes
	list, err := testlist.Tests(ctx, c.session.keeper, args.TestsRequest)
	var busy *api.BusyError
	switch {
	case errors.As(err, &busy) && busy.Holder.RunID != api.Unknown && !busy.Holder.Listing:
		return answer{}, fmt.Errorf("%w: get_run{\"run_id\":%q,\"wait\":60} waits for it", err, busy.Holder.RunID)
	case err != nil:
		return answer{}, err
	}
	return c.nameWorkspace(ctx, where, listAnswer(list))
}

// listedTests is the object of an answer of list_tests: an [api.TestList] without what
// the caller knows.
type listedTests struct {
	Message     string            `json:"message"`
	Language    string            `json:"language"`
	Complete    bool              `json:"complete"`
	Errors      []string          `json:"errors,omitempty"`
	Total       int               `json:"total"`
	OnRequest   int               `json:"on_request"`
	SuitesTotal int               `json:"suites_total"`
	Configured  []string          `json:"configured,omitempty"`
	Suites      []api.ListedSuite `json:"suites"`
	NextCursor  string            `json:"next_cursor,omitempty"`
	Warnings    []api.Note        `json:"warnings,omitempty"`
}

func listAnswer(l api.TestList) answer {
	if len(l.Errors) > 0 {
		l.Errors = []string{strings.Join(l.Errors, "\n")}
	}
	l = limits.Of(l)
	configured := l.Selection.Configured
	l.Selection.Configured = nil // a project's words are not part of our sentences
	object := listedTests{
		Message: render.TestsFound(l), Language: l.Language, Complete: l.Complete, Errors: l.Errors,
		Total: l.Total, OnRequest: l.OnRequest, SuitesTotal: l.SuitesTotal, Configured: configured,
		Suites: l.Suites, NextCursor: l.NextCursor, Warnings: l.Warnings,
	}
	a := answer{text: []string{object.Message}, object: object}
	a.listBlock("Why, in the words of the plugin and its tools:", object.Errors)
	a.listBlock("Settings of the project leave tests out:", configured)
	a.listBlock("Also:", textsOf(object.Warnings))
	if len(l.Suites) > 0 {
		a.text = append(a.text, strings.TrimSuffix(render.TestNames(l, render.Style{}), "\n"))
	}
	if l.NextCursor != "" {
		a.text = append(a.text, fmt.Sprintf("%d are shown; the same call with {\"cursor\":%q} has the next ones", l.Shown(), l.NextCursor))
	}
	return a
}

// listBlock adds foreign texts below a line of ours, indented.
func (a *answer) listBlock(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	indented := strings.ReplaceAll(prose.Plain(strings.Join(texts, "\n")), "\n", "\n   ")
	a.text = append(a.text, title+"\n   "+indented)
}
