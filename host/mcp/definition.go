package mcp

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
)

// tool is one tool: what a client is told of it, and what it does.
type tool struct {
	name        string
	description string
	hints       hints
	// always asks clients that load tools on demand to load this one at once.
	always bool
	action
}

// hints is what clients decide by whether they ask the user, and whether calls
// may run side by side.
type hints int

const (
	// reads: it changes nothing.
	reads hints = iota
	// runs: it executes tests, and destroys nothing.
	runs
	// stops: as runs, and doing it twice is doing it once.
	stops
)

// annotations are the protocol's words for hints. A client takes what is not said
// for the worst.
func (h hints) annotations() *mcp.ToolAnnotations {
	no := false
	a := &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}
	a.ReadOnlyHint = h == reads
	a.IdempotentHint = h != runs
	return a
}

// definition is what clients are told of the tool.
func (t tool) definition() *mcp.Tool {
	d := &mcp.Tool{Name: t.name, Description: t.description, Annotations: t.hints.annotations(), InputSchema: arguments.Schema(t.params)}
	if t.always {
		d.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	return d
}

// action is what a tool takes, and does with it.
type action struct {
	// params stand for what a call gives: their values are nobody's.
	params []api.Param
	handle func(ctx context.Context, c *call) (answer, error)
}

// take makes an action of a function that has what it takes in a struct.
func take[T any, P interface {
	*T
	Params() []api.Param
}](handle func(ctx context.Context, c *call, args T) (answer, error)) action {
	return action{
		params: P(new(T)).Params(),
		handle: func(ctx context.Context, c *call) (answer, error) {
			var args T
			if err := arguments.Take(c.tool, P(&args).Params(), c.args); err != nil {
				return answer{}, err
			}
			return handle(ctx, c, args)
		},
	}
}

// reworded says something else of the argument of a tool.
func reworded(params []api.Param, argument, text string) []api.Param {
	for i := range params {
		if params[i].Tool == argument {
			params[i].Agent = text
		}
	}
	return params
}

// placing is the workspace that a call names; empty is none.
type placing struct{ Workspace string }

// serverPlace is the parameter of a tool that is not about a run.
func (p *placing) serverPlace() api.Param {
	return api.Param{Value: &p.Workspace, Tool: "workspace", Agent: "Default: the server's."}
}

// runPlace is the parameter of a tool that is about a run.
func (p *placing) runPlace() api.Param {
	return api.Param{Value: &p.Workspace, Tool: "workspace", Agent: "Default: the last run's."}
}

// answering is how a call wants to be answered that begins something.
type answering struct {
	// Wait is for how long to wait; nil is to the end.
	Wait *time.Duration
	// Output is raw for the runner's own output.
	Output string
}

func (a *answering) waitParam() api.Param {
	return api.Param{Value: &a.Wait, Tool: "wait", Agent: "Answer after so many seconds, running or not; then get_run. Default: wait to the end."}
}

func (a *answering) outputParam() api.Param { return outputParam(&a.Output) }

func outputParam(output *string) api.Param {
	return api.Param{Value: output, Tool: "output", Words: []string{"summary", "raw"}, Agent: "raw: the runner's own output."}
}

// likeRunTests is a parameter that means what it means there: a definition is read in
// every conversation, needed or not.
func likeRunTests(p api.Param) api.Param {
	p.As = "run_tests"
	return p
}

// tools are all tools, in the order of their names, in which the SDK lists them.
func tools() []tool {
	all := []tool{
		runTests(), runFailingTests(), lastTestFailures(), getRun(), cancelRun(), getTestOutput(),
		whyFailing(), triageFailures(), testHistory(), testsCovering(), listTests(), workspaceInfo(),
	}
	slices.SortFunc(all, func(a, b tool) int { return strings.Compare(a.name, b.name) })
	return all
}
