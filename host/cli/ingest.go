package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
)

// newIngestCommand adds recorded output to the history.
func newIngestCommand(a *app) *cobra.Command {
	var req api.IngestRequest
	var out *output
	var dry bool
	cmd := &cobra.Command{
		Use:   "ingest [flags] [EVENTS]",
		Short: "Read the output of an earlier run, and record it",
		Long: `Read recorded output, such as a CI job's, report what it proves, and record it as a run of
the workspace. EVENTS is a file with the runner's standard output; without it, or with -,
it is standard input. The same output is recorded once. The last run and the outstanding
set do not change; if nothing could be read, nothing is recorded. Without --exit-code,
nothing is concluded from how the runner ended.

--plugin names the plugin that reads it, which the workspace decides if it has one
language. With --dry-run it may come from anywhere, and nothing is recorded; -C is then
the workspace where the output was recorded.`,
		Example: `  go test -json ./... | proctor ingest
  proctor ingest --exit-code 1 --commit 1a2b3c4 events.jsonl
  proctor ingest --dry-run --plugin go events.jsonl`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out.format == rawForm {
				return &flags.Error{Err: errors.New("--raw cannot be combined with ingest: EVENTS itself is the runner's output")}
			}
			if err := checkDry(cmd, dry); err != nil {
				return err
			}
			if req.Where, req.Stdout = a.where(), "-"; len(args) > 0 {
				req.Stdout = args[0]
			} else if isTerminal(a.env.Stdin) {
				return usageErrorf(cmd, "name a file with the output, or pipe it in: %s", usageLine(cmd))
			}
			var err error
			if req.Plugin, err = takePluginName(a); err != nil {
				return err
			}
			return ingestOutput(cmd.Context(), a, out, req, dry)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	out.reports.Bind(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only report what the output proves, and record nothing")
	return cmd
}

// checkDry refuses flags that mean nothing if nothing is recorded.
func checkDry(cmd *cobra.Command, dry bool) error {
	for _, other := range []string{"at", "commit", "session", "again"} {
		if dry && cmd.Flags().Changed(other) {
			return &flags.Error{Err: fmt.Errorf("--%s cannot be combined with --dry-run: nothing is recorded", other)}
		}
	}
	return nil
}

// ingestOutput reads recorded output, and prints the run that it shows.
func ingestOutput(ctx context.Context, a *app, out *output, req api.IngestRequest, dry bool) error {
	k, done, err := a.keeper(ctx)
	if err != nil {
		return err
	}
	defer done()
	if req.Plugin == "" {
		if req.Plugin, err = onlyPlugin(ctx, a, k); err != nil {
			return err
		}
	}
	run, err := runRecorded(ctx, k, req, dry, &out.reports.Collector)
	if err == nil {
		a.code = runExit(run)
	}
	out.writeReports(ctx, a, k, err)
	defer out.endReports(ctx, a)
	if err != nil {
		return err
	}
	return printRun(ctx, a, k, out, run)
}

// runRecorded reads recorded output, and records it unless the run is dry.
func runRecorded(ctx context.Context, k *ledger.Keeper, req api.IngestRequest, dry bool, l api.Listener) (api.Run, error) {
	if !dry {
		return engine.Ingest(ctx, k, req, l)
	}
	root := ""
	if req.Where.Exact {
		root = req.Where.Dir
	}
	return engine.Parse(ctx, k, api.ParseRequest{Plugin: req.Plugin, Root: root, Stdout: req.Stdout, Stderr: req.Stderr, ExitCode: req.ExitCode}, l)
}

// takePluginName takes the plugin's name from --plugin, which here is a name, or
// NAME=PATH as everywhere else; empty if it is not given.
func takePluginName(a *app) (string, error) {
	switch len(a.plugins) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", &flags.Error{Err: errors.New("name one plugin that reads the output: --plugin go")}
	}
	name, _, override := strings.Cut(a.plugins[0], "=")
	if !override {
		a.plugins = nil
	}
	return name, nil
}

// onlyPlugin returns the plugin of the workspace's only language.
func onlyPlugin(ctx context.Context, a *app, k *ledger.Keeper) (string, error) {
	projects, err := k.Projects(ctx, a.where(), nil)
	if _, ok := errors.AsType[*api.NoProjectError](err); ok || err == nil && len(projects) > 1 {
		return "", &flags.Error{Err: errors.New("name the plugin that reads the output: --plugin go")}
	}
	if err != nil {
		return "", err
	}
	return projects[0].ID.Name, nil
}
