package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

// gasMeasures are the measures that are gas: that of whole tests, and that of
// the sections which tests took snapshots of.
func gasMeasures() []string { return []string{"gas", "gas_snapshot"} }

func newGasCommand(a *app) *cobra.Command {
	req := api.MeasureRequest{Names: gasMeasures()}
	var check bool
	var out *output
	cmd := &cobra.Command{
		Use:   "gas",
		Short: "Show how the gas of the tests has changed",
		Long: `Show how the gas of the tests has changed: of the last run that measured gas,
against the one before it, the baseline, or a run that is named. A rerun or a
filtered run counts, and speaks of its own tests only.

Only a test that passed in both runs is compared, under equal conditions (forge,
compiler, its settings), and a fuzz test only with an equal seed; its median
decides. What is not compared is named with the reason.

It exits with 0. With --check it exits with 1 when gas grew by more than the
threshold, and with 4 when nothing could be compared, or when the latest run
measured nothing.`,
		Example: `  proctor run && proctor gas                          since the run before
  proctor gas baseline set                            from now on compare with the last run:
  proctor gas --against baseline --threshold 1%
  proctor gas --against baseline --threshold 1% --check   for CI
  proctor gas --against k3f9 --json
  proctor run --seed 7                                with an equal seed fuzz tests are compared too`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			answers, err := query.Measures(cmd.Context(), h, req)
			if check {
				a.code = gasExit(answers)
			}
			if a.noRun(err, out) {
				return nil
			}
			if err != nil {
				return err
			}
			return printGas(a, out, answers, req.Against)
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, "the comparison, one a line for each language")
	cmd.Flags().BoolVar(&check, "check", false, "exit with 1 when gas grew by more than the threshold, with 4 when nothing could be compared")
	cmd.AddCommand(newGasBaselineCommand(a))
	return cmd
}

// gasExit is the exit code of --check. A comparison of nothing, or one that does
// not reach to the latest run, proves nothing.
func gasExit(answers []query.MeasureAnswer) int {
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

func printGas(a *app, out *output, answers []query.MeasureAnswer, against string) error {
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
		fmt.Fprint(a.env.Stdout, gasText(answer, a.verbose)+gasHint(answer, against))
	}
	return nil
}

// gasHint is the command that helps where less was compared than could be.
func gasHint(answer query.MeasureAnswer, against string) string {
	c := answer.Comparison
	otherSeed := slices.ContainsFunc(c.Incomparable, func(i metrics.Incomparable) bool { return i.Reason == metrics.OtherSeed })
	switch {
	case otherSeed && c.Before.Seed != "" && c.Before.Seed != c.Now.Seed:
		run := []string{"proctor", "run", "--seed", c.Before.Seed}
		if len(answer.RunnerArgs) > 0 {
			run = append(append(run, "--"), answer.RunnerArgs...)
		}
		return fmt.Sprintf("`%s && proctor gas --against %s` compares these too\n", oneLine(prose.ShellLine(run)), c.Before.RunID)
	case otherSeed:
		return "the inputs of fuzz tests also depend on which tests run, on the number of threads, and on what was compiled in the same run\n"
	case !c.IsEmpty() || c.Now == nil:
		return ""
	case against == api.AgainstBaseline && c.Before == nil && len(c.Later) == 0:
		return "`proctor gas baseline set` makes the last run the baseline\n"
	}
	return "`proctor gas --against RUN` compares with another run\n"
}

func newGasBaselineCommand(a *app) *cobra.Command {
	baseline := &cobra.Command{
		Use:   "baseline",
		Short: "Set the run that gas is compared with",
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
		Long: `Make a run the baseline of the workspace; without RUN the last one, which has to
be one of all tests. Only its tests that passed are in the baseline. It lies in
.proctor/baselines until it is replaced, whatever becomes of the run's record.`,
		Example: `  proctor run && proctor gas baseline set
  proctor gas baseline set k3f9
  proctor gas --against baseline`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			if len(args) == 1 {
				req.Ref = args[0]
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			set, err := query.SetBaseline(cmd.Context(), h, req)
			var none *api.NoRunError
			if errors.As(err, &none) {
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
	bind(cmd, req.Params())
	return cmd
}

// maxGasLines bounds each list of the text: past a screen or two nobody reads
// on, and --json has everything.
const maxGasLines = 50

// maxGasColumn is the widest column that is lined up: a single number of 78
// digits must not push all others out of sight.
const maxGasColumn = 16

// gasText says what a comparison found: the changes, the suites, what could not
// be compared, and the outcome last. Texts of a plugin or a test are kept to
// their line.
func gasText(answer query.MeasureAnswer, verbose bool) string {
	var b strings.Builder
	limit := maxGasLines
	if verbose {
		limit = len(answer.Changes) + len(answer.Suites) + len(answer.Incomparable)
	}
	if answer.Before != nil {
		fmt.Fprintf(&b, "gas of %s\nagainst %s\n\n",
			oneLine(gasSource(*answer.Now, prose.Duration(answer.NowAge))), oneLine(gasSource(*answer.Before, prose.Duration(answer.BeforeAge))))
	}
	var changes []gasRow
	for _, c := range answer.Changes {
		row := gasRow{figures: c.Figures, name: gasName(c.Suite, c.Test, c.Section)}
		if c.Kind != "" && c.Kind != "unit" {
			row.name += " (" + c.Kind + gasBeside(c.Beside) + ")"
		}
		changes = append(changes, row)
	}
	writeGasRows(&b, "", changes, limit)
	var suites []gasRow
	for _, s := range answer.Suites {
		if s.Delta != "0" {
			suites = append(suites, gasRow{s.Figures, fmt.Sprintf("%s: %s", s.Suite, api.Plural(s.Measures, gasUnit(s.Name)))})
		}
	}
	writeGasRows(&b, "suites:\n", suites, limit)
	var totals []gasRow
	for _, t := range answer.Totals {
		if t.Delta != "0" && len(answer.Suites) > len(answer.Totals) {
			totals = append(totals, gasRow{t.Figures, api.Plural(t.Measures, gasUnit(t.Name))})
		}
	}
	writeGasRows(&b, "in all:\n", totals, limit)
	if len(answer.Conditions) > 0 {
		b.WriteString("the conditions differ: " + oneLine(metrics.Differences(answer.Conditions)) + "\n\n")
	}
	writeIncomparable(&b, answer.Incomparable, limit, verbose)
	b.WriteString(oneLine(answer.Message) + "\n")
	return b.String()
}

// gasSource names a run, and what of it counts.
func gasSource(s metrics.Source, age string) string {
	what := string(s.Kind)
	switch {
	case s.Baseline:
		what = "the baseline, run"
	case !s.Whole && what == "run":
		what = "partial run"
	}
	text := fmt.Sprintf("%s %s, %s ago: %s", what, s.RunID, age, api.Plural(s.Tests, "test"))
	if s.LeftOut > 0 {
		text += ", " + api.Plural(s.LeftOut, "test") + " that did not pass"
	}
	return text
}

// gasUnit is what a total counts.
func gasUnit(measureName string) string {
	if measureName == "gas_snapshot" {
		return "snapshot"
	}
	return "test"
}

func gasName(suite, test, section string) string {
	name := suite + " " + test
	if section != "" {
		name += " [" + section + "]"
	}
	return name
}

func gasBeside(others []metrics.Beside) string {
	var text strings.Builder
	for _, o := range others {
		fmt.Fprintf(&text, "; %s %s → %s, %s", o.Kind, o.Before, o.After, signed(o.Delta))
	}
	return text.String()
}

// gasRow is one line of figures.
type gasRow struct {
	figures metrics.Figures
	name    string
}

// writeGasRows writes figures in columns: difference, percent, before → after.
func writeGasRows(b *strings.Builder, title string, rows []gasRow, limit int) {
	if len(rows) == 0 {
		return
	}
	b.WriteString(title)
	shown := rows[:min(len(rows), limit)]
	cells := make([][4]string, len(shown))
	var widths [4]int
	for i, r := range shown {
		cells[i] = [4]string{signed(r.figures.Delta), gasPercent(r.figures), string(r.figures.Before), string(r.figures.After)}
		for n, cell := range cells[i] {
			widths[n] = max(widths[n], min(utf8.RuneCountInString(cell), maxGasColumn))
		}
	}
	for i, c := range cells {
		fmt.Fprintf(b, "  %*s  %*s  %*s → %*s  %s\n", widths[0], c[0], widths[1], c[1], widths[2], c[2], widths[3], c[3], oneLine(shown[i].name))
	}
	writeMore(b, len(rows)-len(shown))
	b.WriteByte('\n')
}

func writeMore(b *strings.Builder, left int) {
	if left > 0 {
		fmt.Fprintf(b, "  and %d more; -v or --json has them all\n", left)
	}
}

// writeIncomparable names what was not compared, by reason. That fuzz tests drew
// other inputs is the ordinary case: of these only the number is said.
func writeIncomparable(b *strings.Builder, all []metrics.Incomparable, limit int, verbose bool) {
	groups := map[string][]metrics.Incomparable{}
	var titles []string
	for _, i := range all {
		title := i.Reason.Words()
		if i.Detail != "" {
			title += " " + i.Detail
		}
		if groups[title] == nil {
			titles = append(titles, title)
		}
		groups[title] = append(groups[title], i)
	}
	slices.SortStableFunc(titles, func(x, y string) int {
		return cmp.Or(len(groups[y])-len(groups[x]), strings.Compare(x, y))
	})
	for n, title := range titles {
		if n == limit {
			fmt.Fprintf(b, "and for %d more reasons; -v or --json has them all\n\n", len(titles)-n)
			return
		}
		group := groups[title]
		if group[0].Reason == metrics.OtherSeed && !verbose {
			fmt.Fprintf(b, "not comparable, %s: %s\n\n", oneLine(title), api.Plural(len(group), "test"))
			continue
		}
		fmt.Fprintf(b, "not comparable, %s (%d):\n", oneLine(title), len(group))
		shown := group[:min(len(group), max(limit/len(titles), 1))]
		for _, i := range shown {
			b.WriteString("  " + oneLine(gasName(i.Suite, i.Test, i.Section)) + "\n")
		}
		writeMore(b, len(group)-len(shown))
		b.WriteByte('\n')
	}
}

// gasPercent is the relative change; small ones keep their first digits.
func gasPercent(f metrics.Figures) string {
	if f.Percent == nil {
		return ""
	}
	if p := *f.Percent; p > -0.01 && p < 0.01 {
		return fmt.Sprintf("%+.2g%%", p)
	}
	return fmt.Sprintf("%+.2f%%", *f.Percent)
}

// signed writes a difference with its sign.
func signed(n json.Number) string {
	if strings.HasPrefix(string(n), "-") || n == "0" {
		return string(n)
	}
	return "+" + string(n)
}
