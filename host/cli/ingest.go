package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

// newIngestCommand takes a recorded output into the history.
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
			run, err := engine.Ingest(cmd.Context(), h, req)
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
