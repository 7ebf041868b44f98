package mcpserver

import (
	"context"

	"github.com/proctorhq/proctor/host"
	"github.com/proctorhq/proctor/host/record"
)

type testsCoveringArgs struct {
	File      string `json:"file"`
	Lines     string `json:"lines"`
	Limit     number `json:"limit"` // of a list that there is not yet
	Workspace string `json:"workspace"`
}

func testsCovering() tool {
	return tool{
		name: "tests_covering", hints: reads,
		description: "Which tests execute a file or lines of it. No run records coverage yet, so the answer is: unknown.",
		params: []param{
			{name: "file", kind: "string", required: true, description: "Source file in the workspace."},
			{name: "lines", kind: "string", description: "42 or 40-60. Default: the whole file."},
			{name: "limit", kind: "number", standard: host.DefaultCoveringLimit, description: "Max tests. Max 500."},
			lastWorkspaceParam(),
		},
		handle: take(handleTestsCovering),
	}
}

// coveringAdvice is what to do without an index.
const coveringAdvice = "This does not mean that no test covers it. run_tests with packages, match_path or filter runs the tests near it; run_tests without them runs every test, also those that cover it."

func handleTestsCovering(ctx context.Context, c *call, args testsCoveringArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, "")
	if err != nil {
		return answer{}, err
	}
	covering, err := c.session.host.Covering(ctx, host.CoveringRequest{Where: where, File: args.File, Lines: args.Lines})
	if err != nil {
		return answer{}, err
	}
	covering.File = cutName(covering.File)
	return c.located(ctx, where, answer{
		text: []string{covering.Message, coveringAdvice},
		object: struct {
			record.Covering
			More string `json:"more"`
		}{covering, coveringAdvice},
	})
}
