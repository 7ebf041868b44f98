package mcp

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/toollist"
)

// tool is one tool: what clients learn about it, and what it does.
type tool struct {
	name        string
	description string
	hints       hints
	// always asks clients that load tools on demand to load this one at once.
	always bool
	// long means that a call takes as long as tests do, so that it can be a task of the protocol.
	long bool
	action
}

// hints determine whether clients ask the user first, and whether calls may run in
// parallel.
type hints int

const (
	// reads means that it changes nothing.
	reads hints = iota
	// runs means that it executes tests, and destroys nothing.
	runs
	// stops is like runs, and idempotent.
	stops
)

// definition returns what clients learn about the tool. Without foundry it leaves out the
// parameters that only Foundry's projects have.
func (t tool) definition(foundry bool) *mcp.Tool {
	params := t.params
	if !foundry {
		params = arguments.Without(params, api.Foundry, outputForge)
	}
	d := &mcp.Tool{Name: t.name, Description: t.description, Annotations: toollist.Annotations(t.hints == reads, t.hints != runs), InputSchema: arguments.Schema(params)}
	if t.always {
		d.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	return d
}

// action is what a tool accepts, and does with it.
type action struct {
	// params describe what a call gives; their values are unused.
	params []api.Param
	handle func(ctx context.Context, c *call) (answer, error)
}

// take makes an action from a function that has its arguments in a struct.
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

// placing is the workspace that a call names, or "".
type placing struct{ Workspace string }

// serverPlace returns the parameter for a tool that is not about a run.
func (p *placing) serverPlace() api.Param {
	return api.Param{Value: &p.Workspace, Tool: "workspace", Agent: "Directory. Default: the server's."}
}

// runPlace returns the parameter for a tool that is about a run.
func (p *placing) runPlace() api.Param {
	return api.Param{Value: &p.Workspace, Tool: "workspace"}
}

// answering says how a call that starts something wants to be answered.
type answering struct {
	// Wait is how long to wait; nil means to the end.
	Wait *time.Duration
	// Output is "raw" for the runner's own output.
	Output string
}

func (a *answering) waitParam() api.Param {
	return api.Param{Value: &a.Wait, Tool: "wait", Agent: "Seconds until the answer, ended or not. Default: at the end."}
}

func (a *answering) outputParam() api.Param { return outputParam(&a.Output) }

func outputParam(output *string) api.Param {
	return api.Param{Value: output, Tool: "output", Words: []string{"summary", "raw", outputResults, outputForge}, Agent: "raw: the runner's output. results: every test's result."}
}

// likeRunTests leaves out the description of a parameter that means the same as in
// run_tests: a definition is read in every conversation, needed or not.
func likeRunTests(p api.Param) api.Param {
	p.Same = true
	return p
}

// tools returns all tools sorted by name, which is how the SDK lists them.
func tools() []tool {
	all := []tool{
		runTests(), runFailingTests(), lastTestFailures(), getRun(), cancelRun(), getTestOutput(),
		whyFailing(), triageFailures(), testHistory(), testsCovering(), listTests(), workspaceInfo(),
	}
	slices.SortFunc(all, func(a, b tool) int { return strings.Compare(a.name, b.name) })
	return all
}
