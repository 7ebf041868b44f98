package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/cli/reports"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/report"
)

// newReportCommand writes a recorded run in the format of another program.
func newReportCommand(a *app) *cobra.Command {
	var req api.LastRun
	var file, dialect string
	var formats []string
	for _, f := range report.Formats() {
		formats = append(formats, fmt.Sprintf("  %-9s %s", f.Name, f.What))
	}
	cmd := &cobra.Command{
		Use:   "report FORMAT [RUN]",
		Short: "Write a run as JUnit XML or in another format",
		Long: `Write a recorded run in the format of another program, to standard output or a file.
Nothing is run. RUN is a run id or a prefix of one, last, or prev (default: last).

` + strings.Join(formats, "\n") + `

--junit and --report of proctor run write the same reports as the run ends. The exit code
says whether the report was written, not what is in it.`,
		Example: `  proctor report junit -o report.xml
  proctor report json prev`,
		Args:      takes(1, 2),
		ValidArgs: report.Names(),
		PreRunE:   func(*cobra.Command, []string) error { return reports.CheckDialect(dialect) },
		RunE: func(cmd *cobra.Command, args []string) error {
			format, ok := report.Find(args[0])
			if !ok {
				return usageErrorf(cmd, "there is no format %q: give one of %s", args[0], strings.Join(report.Names(), ", "))
			}
			if req.Where = a.where(); len(args) > 1 {
				req.Ref = args[1]
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			requests, err := ledger.SplitByLanguage(cmd.Context(), h, req)
			if err != nil {
				return err
			}
			var ends []api.RunFinished
			for _, each := range requests {
				ended, err := query.Recorded(cmd.Context(), h, each)
				var none *api.NoRunError
				if errors.As(err, &none) {
					fmt.Fprintln(a.env.Stderr, "proctor: "+prose.Plain(noRunYet)) // standard output is for the report
					a.code = exitNothingRan
					return nil
				}
				if err != nil {
					return err
				}
				ends = append(ends, ended)
			}
			document := report.NewDocument(ends...)
			options := reports.Options(cmd.Context(), a.surroundings(), h, document, dialect)
			if file == "" {
				return format.Write(a.env.Stdout, document, options)
			}
			written := reports.NewFile(format, file)
			if err := errors.Join(written.Remove(), written.WriteDocument(cmd.Context(), a.surroundings(), document, options)); err != nil {
				return fmt.Errorf("writing the report: %w", err)
			}
			return nil
		},
	}
	bindSession(a, cmd)
	flags.Bind(cmd, req.Params(), "lang")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to `FILE` instead of standard output")
	reports.BindDialect(cmd, &dialect)
	return cmd
}
