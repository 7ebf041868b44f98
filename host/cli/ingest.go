package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

// newIngestCommand adds recorded output to the history.
func newIngestCommand(a *app) *cobra.Command {
	var req api.IngestRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "ingest --plugin NAME [flags] EVENTS",
		Short: "Take a recorded output into the history",
		Long: `Read a recorded output, such as one of a CI job, as parse does, and put it on
record as a run of the workspace. EVENTS is the runner's standard output, in a
file; - is standard input. The same output is taken in once. The last run and
what is outstanding are not touched; nothing is recorded of what could not be read.`,
		Example: `  proctor ingest --plugin go --exit-code 1 --commit 1a2b3c4 events.jsonl
  go test -json ./... | proctor ingest --plugin go -`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out.format == rawForm {
				return &flagError{errors.New("--raw does not go with ingest: EVENTS itself is the runner's output")}
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
	bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	out.addJUnit(cmd)
	return cmd
}

func newParseCommand(a *app) *cobra.Command {
	var req api.ParseRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "parse --plugin NAME [flags] EVENTS",
		Short: "Read a recorded output without running anything",
		Long: `Read a recorded output without running anything and say what it proves. EVENTS
is the runner's standard output, in a file; - is standard input. Nothing is
recorded. Without --exit-code nothing is concluded from how the runner ended.`,
		Example: `  proctor parse --plugin go --exit-code 1 events.jsonl
  go test -json ./... | proctor parse --plugin go -`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out.format == rawForm {
				return &flagError{errors.New("--raw does not go with parse: nothing is run and nothing is recorded, EVENTS itself is the runner's output")}
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
	bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	return cmd
}

// parserName takes the plugin's name from --plugin, which here is a name, or NAME=PATH
// as everywhere else.
func parserName(a *app) (string, error) {
	if len(a.plugins) != 1 {
		return "", &flagError{errors.New("name the plugin that knows the output, once: --plugin go")}
	}
	name, _, override := strings.Cut(a.plugins[0], "=")
	if !override {
		a.plugins = nil
	}
	return name, nil
}
