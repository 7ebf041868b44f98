package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/gas"
	"github.com/proctorhq/proctor/host/report"
)

// gasMeasures returns the names of the measures of gas: of whole tests, and of the sections
// that tests took snapshots of.
func gasMeasures() []string { return []string{"gas", "gas_snapshot"} }

func newGasCommand(a *app) *cobra.Command {
	req := api.MeasureRequest{Names: gasMeasures()}
	var check bool
	var out *output
	cmd := &cobra.Command{
		Use:   "gas",
		Short: "Compare the gas of two runs",
		Long: `Compare the gas of the last run that measured it with the run before it, the baseline, or
a named run. A rerun or a filtered run counts, and covers only its own tests.

Only tests that passed in both runs are compared, under equal conditions (forge, compiler,
settings); fuzz tests only with an equal seed, by their median. Everything else is listed
with the reason.

The exit code is 0. With --check it is 1 if gas grew by more than the threshold, and 4 if
nothing could be compared or the latest run measured nothing.`,
		Example: `  proctor run && proctor gas                          since the run before
  proctor gas baseline set                            keep the last run to compare with
  proctor gas --against baseline --threshold 1%
  proctor gas --against baseline --threshold 1% --check   for CI
  proctor gas --against k3f9 --json
  proctor run --seed 7                                with an equal seed fuzz tests are compared too`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			answers, err := query.Measures(cmd.Context(), k, req)
			if check {
				a.code = gasExit(answers)
			}
			if err != nil {
				return unanswered(a, err, out)
			}
			return printGas(a, out, answers, req.Against, styleIn(cmd.Context(), a, k, a.where(), report.ForgeLanguage))
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the comparison, one line per language")
	cmd.Flags().BoolVar(&check, "check", false, "exit with 1 if gas grew by more than the threshold, with 4 if nothing could be compared")
	cmd.AddCommand(newGasBaselineCommand(a))
	return cmd
}

// gasExit returns the exit code of --check. A comparison of nothing, or one that does
// not cover the latest run, proves nothing.
func gasExit(answers []metrics.Answer) int {
	if len(answers) == 0 {
		return exitNothingRan
	}
	code := exitPassed
	for _, answer := range answers {
		switch {
		case answer.Counts.Increased > 0:
			code = worse(code, exitFailed)
		case answer.IsEmpty() || len(answer.Later) > 0:
			code = worse(code, exitNothingRan)
		}
	}
	return code
}

func printGas(a *app, out *output, answers []metrics.Answer, against string, style render.Style) error {
	for i, answer := range answers {
		if out.isJSON() {
			if err := a.printJSON(answer.Comparison); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.env.Stdout)
		}
		fmt.Fprint(a.env.Stdout, gas.Text(answer, style)+gas.Hint(answer, against))
	}
	return nil
}

func newGasBaselineCommand(a *app) *cobra.Command {
	baseline := &cobra.Command{
		Use:   "baseline",
		Short: "Set the baseline run for gas",
		Args:  takes(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	baseline.AddCommand(newGasBaselineSetCommand(a))
	return baseline
}

func newGasBaselineSetCommand(a *app) *cobra.Command {
	req := api.BaselineRequest{Names: gasMeasures()}
	cmd := &cobra.Command{
		Use:   "set [RUN]",
		Short: "Make a run the baseline of the workspace",
		Long: `Make a run the baseline of the workspace; by default the last one, which must be a run of
all tests. The baseline contains only tests that passed. It stays in .proctor/baselines
until it is replaced, even after the run's record is gone.`,
		Example: `  proctor run && proctor gas baseline set
  proctor gas baseline set k3f9
  proctor gas --against baseline`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			if len(args) == 1 {
				req.Ref = args[0]
			}
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			set, err := query.SetBaseline(cmd.Context(), k, req)
			if none, ok := errors.AsType[*api.NoRunError](err); ok {
				return &api.UsageError{Reason: none.Error(), Fix: "the baseline is a run: `proctor run` makes one"}
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.env.Stdout, "baseline: run %s, %s ago, %s\n", set.Run.RunID, prose.Duration(set.Age), api.Plural(set.Tests, "test"))
			if set.LeftOut > 0 {
				fmt.Fprintf(a.env.Stdout, "left out: %s that did not pass\n", api.Plural(set.LeftOut, "test"))
			}
			return nil
		},
	}
	flags.Bind(cmd, req.Params())
	return cmd
}
