package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

func newParseCommand(a *app) *cobra.Command {
	var req api.ParseRequest
	var out output
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
			if err := out.check(); err != nil {
				return err
			}
			if out.format == "raw" {
				return &flagError{errors.New("--raw does not go with parse: nothing is run and nothing is recorded, EVENTS itself is the runner's output")}
			}
			req.Stdout, req.ExitKnown = args[0], cmd.Flags().Changed("exit-code")
			var err error
			if req.Plugin, err = a.parserName(); err != nil {
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
			return a.printRun(cmd.Context(), h, out, run)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&req.Root, "root", "", "the workspace `DIR` the output came from")
	flags.IntVar(&req.ExitCode, "exit-code", 0, "the `CODE` that the runner exited with (default: unknown)")
	flags.StringVar(&req.Stderr, "stderr", "", "the runner's standard error, in a `FILE`")
	out.flags(cmd)
	return cmd
}

// parserName takes the plugin's name out of --plugin, which here is a name, or
// NAME=PATH as everywhere else.
func (a *app) parserName() (string, error) {
	if len(a.plugins) != 1 {
		return "", &flagError{errors.New("name the plugin that knows the output, once: --plugin go")}
	}
	name, _, override := strings.Cut(a.plugins[0], "=")
	if !override {
		a.plugins = nil
	}
	return name, nil
}
