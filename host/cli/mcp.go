package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/report"
	"github.com/spf13/cobra"
)

func newMCPCommand(a *app) *cobra.Command {
	var given serveOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve a coding agent over MCP on standard input and output",
		Long: `Serve one client of the Model Context Protocol on standard input and output, until it
closes its end. A client starts this command itself: see proctor mcp config.

The workspace is that of --workspace, or else the one that the client names or runs in.
With --workspace, calls can use only the given directories. Each connection is a session
of its own.`,
		Example: `  proctor mcp                            as a client starts it
  proctor mcp --http 127.0.0.1:7301      serve any number of clients over HTTP
  proctor mcp call run_tests '{"filter":"TestParse"}'`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), a, given) },
	}
	given.flags(cmd)
	cmd.AddCommand(newMCPConfigCommand(a), newMCPSkillCommand(a), newMCPCallCommand(a), newMCPToolsCommand(a), newMCPInstructionsCommand(a), newContextCommand(a))
	return cmd
}

// newMCPServer makes the server. It examines nothing before a client asks: the first
// answer must be immediate. The returned function ends everything.
func newMCPServer(ctx context.Context, a *app, workspaces []string) (*mcp.Server, func(), error) {
	a.loginShell = true
	k, done, err := a.keeper(ctx)
	if err != nil {
		return nil, nil, err
	}
	k.Cfg.UserConfig = "" // an agent's runs must not depend on one user's settings
	dir, err := os.Getwd()
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("cannot determine the current directory: %w; give --workspace", err)
	}
	return mcp.New(mcp.Config{
		Keeper: k, Version: version(), NewSession: ledger.NewSessionID, RunCode: runCode,
		Place: directory.Server{Allowed: workspaces, Env: a.env.Environ, Dir: dir},
	}), done, nil
}

// newMCPServerHere makes a server for a command that answers without a client.
func newMCPServerHere(ctx context.Context, a *app) (*mcp.Server, func(), error) {
	var workspaces []string
	if a.dir != "" {
		workspaces = []string{a.dir}
	}
	return newMCPServer(ctx, a, workspaces)
}

// runCode returns the error code of a forge run, as readers of forge responses know it.
func runCode(run api.Run) (code string, retry bool) {
	if e := report.ForgeErrorOf(run); run.Language == report.ForgeLanguage && e != nil {
		return e.Code, e.Retry
	}
	return "", false
}

// maxArguments bounds the arguments of a call.
const maxArguments = 4 << 20

// invalidRequest is the code of an answer that blames the arguments.
const invalidRequest = "INVALID_REQUEST"

func newMCPCallCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON]",
		Short: "Call a tool and print its answer",
		Long: `Call a tool as a client would, and print its answer. JSON is the object of the arguments;
- reads it from standard input. The session is the terminal's, as for every other command.

Exit codes: 0 answered · 2 unknown tool or wrong arguments · 3 the tool failed. For
run_tests and run_failing_tests the run decides, as for proctor run: 0 only if it is known
to have passed.`,
		Example: `  proctor mcp call run_tests '{"filter":"TestParse"}'
  proctor mcp call last_test_failures --json`,
		Args: takes(1, 2),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, t := range mcp.New(mcp.Config{}).Tools() {
				if len(args) == 0 {
					names = append(names, t.Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := callArguments(cmd.Context(), a, args[1:])
			if err != nil {
				return err
			}
			server, done, err := newMCPServerHere(cmd.Context(), a)
			if err != nil {
				return err
			}
			defer done()
			result, err := server.Call(cmd.Context(), args[0], raw)
			if _, ok := errors.AsType[*mcp.UnknownToolError](err); ok {
				return &flags.Error{Err: err}
			}
			if err != nil {
				return err
			}
			a.code = callExit(args[0], result)
			return printCall(a, out, result)
		},
	}
	out = newOutput(cmd, "the answer's object")
	return cmd
}

// callArguments returns the arguments of a call as given.
func callArguments(ctx context.Context, a *app, args []string) (json.RawMessage, error) {
	switch {
	case len(args) == 0:
		return nil, nil
	case args[0] != "-":
		return json.RawMessage(args[0]), nil
	}
	raw, err := io.ReadAll(io.LimitReader(&ctxio.Reader{Ctx: ctx, R: a.env.Stdin}, maxArguments+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("standard input could not be read: %w", err)
	case len(raw) > maxArguments:
		return nil, &flags.Error{Err: fmt.Errorf("the arguments on standard input are longer than %d bytes", maxArguments)}
	}
	return raw, nil
}

func printCall(a *app, out *output, result *sdk.CallToolResult) error {
	if out.isJSON() {
		if result.StructuredContent == nil {
			return errors.New("the answer has no object; call it without --json")
		}
		return a.printJSON(result.StructuredContent)
	}
	for _, content := range result.Content {
		if text, ok := content.(*sdk.TextContent); ok {
			fmt.Fprintln(a.env.Stdout, strings.TrimSuffix(text.Text, "\n"))
		}
	}
	return nil
}

// callExit is the exit code for an answer.
func callExit(tool string, result *sdk.CallToolResult) int {
	var object struct {
		RunID       string      `json:"run_id"`
		Status      string      `json:"status"`
		Verdict     api.Verdict `json:"verdict"`
		Kind        api.Kind    `json:"kind"`
		Outstanding int         `json:"outstanding"`
		Code        string      `json:"code"`
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &object)
	}
	run := api.Run{
		Verdict: cmp.Or(object.Verdict, api.Verdict(object.Status)), Kind: object.Kind, Outstanding: object.Outstanding,
		TimedOut: object.Status == "timeout", Cancelled: object.Status == "cancelled",
	}
	switch {
	case result.IsError && object.Code == invalidRequest:
		return exitUsage
	case run.Cancelled:
		return exitInterrupted
	case result.IsError:
		return exitTool
	case tool != "run_tests" && tool != "run_failing_tests":
		return exitPassed
	case err != nil, object.Status == "queued", object.Status == "running":
		return exitIncomplete // the answer did not wait for the end
	case object.RunID == "":
		return exitNothingRan // a sentence replaces a run
	}
	return runExit(run)
}

func newMCPToolsCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Print the tools that clients can call",
		Example: `  proctor mcp tools
  proctor mcp tools --json`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			tools := mcp.New(mcp.Config{}).Tools()
			if out.isJSON() {
				return a.printJSON(sdk.ListToolsResult{Tools: tools})
			}
			for _, t := range tools {
				fmt.Fprintf(a.env.Stdout, "%s\n    %s\n", t.Name, prose.Line(t.Description))
			}
			return nil
		},
	}
	out = newOutput(cmd, "the definitions as a client gets them")
	return cmd
}

func newMCPInstructionsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "instructions",
		Short: "Print the instructions sent to a client's model",
		Args:  takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, done, err := newMCPServerHere(cmd.Context(), a)
			if err != nil {
				return err
			}
			defer done()
			fmt.Fprintln(a.env.Stdout, server.Introduction(cmd.Context()))
			return nil
		},
	}
}

func newContextCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Print what to know at the start of a session, or nothing",
		Long: `Print what to know at the start of a session: files that failed in three or more sessions
and have not recovered, files that were passing and fail now, files with flaky tests;
since when a test of them fails and what had changed; and what is outstanding. If there is
nothing, it prints nothing. Tests deferred with proctor history defer are left out.

It only reads the record, so a hook can call it at every start.`,
		Example: `  proctor mcp context
  proctor mcp context --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return askPlainly(cmd.Context(), a, out, query.Context, a.where(), contextText)
		},
	}
	out = newOutput(cmd, "the Context object, which also counts what is outstanding")
	return cmd
}

func contextText(note api.Context) string {
	if note.Text == "" {
		return ""
	}
	return prose.Line(note.Text) + "\n"
}
