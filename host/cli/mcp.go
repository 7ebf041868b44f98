package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp"
	"github.com/proctorhq/proctor/host/render"
)

func newMCPCommand(a *app) *cobra.Command {
	var given serveOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve a coding agent: the Model Context Protocol on standard input and output",
		Long: `Serve one client of the Model Context Protocol on standard input and output,
until it closes its end. A client starts this command itself: see proctor mcp config.

The workspace is that of --workspace, else the one that the client names or stands
in. With --workspace, nothing outside of the given directories can be asked for.
Each connection is a session of its own.`,
		Example: `  proctor mcp                            as a client starts it
  proctor mcp --http 127.0.0.1:7301      serve any number of clients over HTTP
  proctor mcp call run_tests '{"filter":"TestParse"}'`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), a, given) },
	}
	given.flags(cmd)
	cmd.AddCommand(newMCPConfigCommand(a), newMCPSkillCommand(a), newMCPCallCommand(a), newMCPToolsCommand(a), newMCPInstructionsCommand(a))
	return cmd
}

// newMCPServer makes the server. Nothing is looked at before a client asks: the first
// answer has to be there at once. The returned function ends everything.
func newMCPServer(ctx context.Context, a *app, workspaces []string) (*mcp.Server, func(), error) {
	a.loginShell = true
	h, done, err := a.host(ctx)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		done()
		return nil, nil, fmt.Errorf("cannot tell where proctor was started: %w; give --workspace", err)
	}
	return mcp.New(mcp.Config{
		Host: h, Version: version(), NewSession: ledger.NewSessionID, RunCode: runCode,
		Place: mcp.Place{Allowed: workspaces, Env: a.env.Environ, Dir: dir},
	}), done, nil
}

// newMCPServerHere makes the server of a command that answers by itself.
func newMCPServerHere(ctx context.Context, a *app) (*mcp.Server, func(), error) {
	var workspaces []string
	if a.dir != "" {
		workspaces = []string{a.dir}
	}
	return newMCPServer(ctx, a, workspaces)
}

// runCode is the code that readers of forge's earlier tester know a run by.
func runCode(run api.Run) (code string, retry bool) {
	if e := render.ForgeErrorOf(run); run.Language == render.ForgeLanguage && e != nil {
		return e.Code, e.Retry
	}
	return "", false
}
