package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

// output is how a run is shown.
type output struct {
	json   bool
	raw    bool
	format string
}

// formats are the values of --format.
var formats = []string{"text", "tests", "failures", "raw", "json"}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print the Run object, one a line for each language")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "print the runner's own output and exit code")
	cmd.Flags().StringVar(&o.format, "format", "text", "`FORM`: "+strings.Join(formats, ", ")+": a summary, each test as it ends, the failure listing, the runner's output, the Run object")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// check settles which of the flags counts.
func (o *output) check() error {
	if !slices.Contains(formats, o.format) {
		return &flagError{fmt.Errorf("--format %q: give one of %s", o.format, strings.Join(formats, ", "))}
	}
	if o.json && o.raw {
		return &flagError{fmt.Errorf("--json and --raw exclude each other")}
	}
	switch {
	case o.json:
		o.format = "json"
	case o.raw:
		o.format = "raw"
	}
	return nil
}

func newOutputCommand(a *app) *cobra.Command {
	var req api.LastRun
	cmd := &cobra.Command{
		Use:   "output TEST",
		Short: "Print one test's whole output",
		Long: `Print one test's whole output, with that of its subtests. TEST is a name as the
reports show it, or the end of one. A suite's name prints all of its output.`,
		Example: `  proctor output TestParse/empty_input
  proctor output 'example.com/app/parser TestParse'`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			out, err := query.Output(cmd.Context(), h, req, args[0])
			if a.noRun(err, false) {
				return nil
			}
			if err != nil {
				return err
			}
			a.printText(out.Text)
			switch {
			case out.Text == "":
				fmt.Fprintf(a.env.Stderr, "proctor: %s printed nothing\n", prose.Line(args[0]))
			case !strings.HasSuffix(out.Text, "\n"):
				fmt.Fprintln(a.env.Stdout)
			}
			if out.Truncated {
				fmt.Fprintln(a.env.Stderr, "proctor: the output goes on; the record in .proctor has more")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&req.Ref, "run", "", "of this `RUN` instead of the last")
	cmd.Flags().StringVar(&req.Language, "lang", "", "of the last run of this `LANG`")
	return cmd
}
