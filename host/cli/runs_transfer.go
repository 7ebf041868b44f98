package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/transfer"
)

func (a *app) runsExportCommand() *cobra.Command {
	var req api.ExportRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export RUN...",
		Short: "Write runs into an archive",
		Long: `Write runs into an archive: their objects, every result and failure, the recorded
output, and which files the sources consisted of (not their contents). Another
workspace takes it with proctor runs import.`,
		Example: `  proctor runs export last
  proctor runs export k3f9 prev -o before-and-after.tar.gz`,
		Args: takes(1, many),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Refs = a.where(), args
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			sent, err := transfer.ExportRuns(cmd.Context(), h, req)
			if a.noRun(err, asJSON) {
				a.code = exitUsage // nothing was written
				return nil
			}
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(sent)
			}
			fmt.Fprint(a.env.Stdout, render.Exported(sent))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&req.File, "output", "o", "", "the archive `FILE` (default: proctor-RUN.tar.gz in the current directory)")
	flags.BoolVar(&req.Force, "force", false, "replace a file that is there")
	flags.BoolVar(&asJSON, "json", false, "print what was written as an object")
	return cmd
}

func (a *app) runsImportCommand() *cobra.Command {
	var req api.ImportRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take the runs of an archive onto the record",
		Long: `Take the runs of an archive onto the record of this workspace. They are no last
run of any session, and nothing is outstanding because of them; proctor runs,
show, output, diff and why know them. Nothing is taken of an archive that is
damaged or says what cannot be.`,
		Example: `  proctor runs import proctor-k3f9x2m7qa.tar.gz
  proctor diff k3f9 last`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.File = a.where(), args[0]
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			taken, err := transfer.ImportRuns(cmd.Context(), h, req)
			var refused *api.ArchiveError
			if errors.As(err, &refused) {
				return &flagError{err}
			}
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(taken)
			}
			fmt.Fprint(a.env.Stdout, render.Imported(taken))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was taken as an object")
	return cmd
}
