package cli

import (
	"context"
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
			return writeReport(cmd.Context(), a, req, format, file, dialect)
		},
	}
	bindSession(a, cmd)
	flags.Bind(cmd, req.Params(), "lang")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to `FILE` instead of standard output")
	reports.BindDialect(cmd, &dialect)
	return cmd
}

// writeReport writes the report of a recorded run to a file, or to standard output if none is
// named.
func writeReport(ctx context.Context, a *app, req api.LastRun, format report.Format, file, dialect string) error {
	k, done, err := a.keeper(ctx)
	if err != nil {
		return err
	}
	defer done()
	document, err := readDocument(ctx, k, req)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		fmt.Fprintln(a.env.Stderr, "proctor: "+prose.Plain(noRunYet)) // standard output is for the report
		a.code = exitNothingRan
		return nil
	}
	if err != nil {
		return err
	}
	options := reports.Options(ctx, a.surroundings(), k, document, dialect)
	if file == "" {
		return format.Write(a.env.Stdout, document, options)
	}
	written, err := reports.NewFile(format, file)
	if err == nil {
		err = written.Clear()
	}
	if err != nil {
		return err
	}
	if err := written.WriteDocument(ctx, a.surroundings(), document, options); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// readDocument reads the requested run, of each language if none is named.
func readDocument(ctx context.Context, k *ledger.Keeper, req api.LastRun) (*report.Document, error) {
	requests, err := ledger.SplitByLanguage(ctx, k, req)
	if err != nil {
		return nil, err
	}
	var ends []api.RunFinished
	for _, each := range requests {
		ended, err := query.Recorded(ctx, k, each)
		if err != nil {
			return nil, err
		}
		ends = append(ends, ended)
	}
	return report.NewDocument(ends...), nil
}
