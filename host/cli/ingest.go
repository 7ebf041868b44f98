package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/engine"
)

// newIngestCommand adds recorded output to the history.
func newIngestCommand(a *app) *cobra.Command {
	var req api.IngestRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "ingest --plugin NAME [flags] EVENTS",
		Short: "Record the output of an earlier run",
		Long: `Read recorded output, such as a CI job's, as parse does, and record it as a run of the
workspace. EVENTS is a file with the runner's standard output; - is standard input. The
same output is recorded once. The last run and the outstanding set do not change; if
nothing could be read, nothing is recorded.`,
		Example: `  proctor ingest --plugin go --exit-code 1 --commit 1a2b3c4 events.jsonl
  go test -json ./... | proctor ingest --plugin go -`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out.format == rawForm {
				return &flags.Error{Err: errors.New("--raw does not go with ingest: EVENTS itself is the runner's output")}
			}
			req.Where, req.Stdout = a.where(), args[0]
			var err error
			if req.Plugin, err = parserName(a); err != nil {
				return err
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			run, err := engine.Ingest(cmd.Context(), h, req, &out.junit)
			if err == nil {
				a.code = runExit(run)
			}
			out.junit.write(a, err)
			if err != nil {
				return err
			}
			return printRun(cmd.Context(), a, h, out, run)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	out.addJUnit(cmd)
	return cmd
}

func newParseCommand(a *app) *cobra.Command {
	var req api.ParseRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "parse --plugin NAME [flags] EVENTS",
		Short: "Read recorded output without running anything",
		Long: `Read recorded output without running anything, and report what it proves. EVENTS is a file
with the runner's standard output; - is standard input. Nothing is recorded. Without
--exit-code, nothing is concluded from how the runner ended.`,
		Example: `  proctor parse --plugin go --exit-code 1 events.jsonl
  go test -json ./... | proctor parse --plugin go -`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out.format == rawForm {
				return &flags.Error{Err: errors.New("--raw does not go with parse: nothing is run and nothing is recorded, EVENTS itself is the runner's output")}
			}
			req.Stdout = args[0]
			var err error
			if req.Plugin, err = parserName(a); err != nil {
				return err
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			run, err := engine.Parse(cmd.Context(), h, req)
			if err != nil {
				return err
			}
			a.code = runExit(run)
			return printRun(cmd.Context(), a, h, out, run)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	return cmd
}

// parserName takes the plugin's name from --plugin, which here is a name, or NAME=PATH
// as everywhere else.
func parserName(a *app) (string, error) {
	if len(a.plugins) != 1 {
		return "", &flags.Error{Err: errors.New("name the plugin that knows the output, once: --plugin go")}
	}
	name, _, override := strings.Cut(a.plugins[0], "=")
	if !override {
		a.plugins = nil
	}
	return name, nil
}
