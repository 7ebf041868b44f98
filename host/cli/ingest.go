package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

// newIngestCommand takes a recorded output into the history.
func newIngestCommand(a *app) *cobra.Command {
	var req api.IngestRequest
	var out output
	var at string
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
			if err := out.check(); err != nil {
				return err
			}
			if out.format == "raw" {
				return &flagError{errors.New("--raw does not go with ingest: EVENTS itself is the runner's output")}
			}
			if at != "" {
				when, err := time.Parse(time.RFC3339, at)
				if err != nil {
					return &flagError{fmt.Errorf("--at %q: give a time such as 2006-01-02T15:04:05Z", at)}
				}
				req.At = &when
			}
			req.Where, req.Stdout, req.ExitKnown = a.where(), args[0], cmd.Flags().Changed("exit-code")
			var err error
			if req.Plugin, err = a.parserName(); err != nil {
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
			return a.printRun(cmd.Context(), h, out, run)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&req.ExitCode, "exit-code", 0, "the `CODE` that the runner exited with (default: unknown)")
	flags.StringVar(&req.Stderr, "stderr", "", "the runner's standard error, in a `FILE`")
	flags.StringVar(&at, "at", "", "when the run was (RFC 3339 `TIME`; default: when the file was last written)")
	flags.StringVar(&req.Commit, "commit", "", "the `REVISION` whose sources the run saw, with nothing changed")
	flags.StringVar(&req.Session, "session", "", "the `SESSION` that the run belongs to (default: one of its own)")
	flags.BoolVar(&req.Again, "again", false, "replace the run that the same output is on record as")
	out.flags(cmd)
	return cmd
}
