package gas

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
)

// maxLines bounds each list of the text: nobody reads beyond a screen or two, and
// --json has everything.
const maxLines = 50

// maxColumn is the widest aligned column: a single number of 78 digits must not push
// all others out of sight.
const maxColumn = 16

// Text says what a comparison found: the changes, the suites, what could not be
// compared, and the outcome last. Texts from plugins and tests stay on one line.
func Text(answer metrics.Answer, style render.Style) string {
	var b strings.Builder
	limit := maxLines
	if style.Verbose {
		limit = len(answer.Changes) + len(answer.Suites) + len(answer.Incomparable)
	}
	if answer.Before != nil {
		fmt.Fprintf(&b, "gas of %s\nagainst %s\n\n",
			oneLine(nameSource(*answer.Now, prose.Duration(answer.NowAge))), oneLine(nameSource(*answer.Before, prose.Duration(answer.BeforeAge))))
	}
	var changes []row
	for _, c := range answer.Changes {
		r := row{figures: c.Figures, name: testName(c.Suite, c.Test, c.Section)}
		if c.Kind != "" && c.Kind != "unit" {
			r.name += " (" + c.Kind + besideText(c.Beside) + ")"
		}
		changes = append(changes, r)
	}
	writeRows(&b, "", changes, limit)
	var suites []row
	for _, s := range answer.Suites {
		if s.Delta != "0" {
			suites = append(suites, row{s.Figures, fmt.Sprintf("%s: %s", s.Suite, api.Plural(s.Measures, unitOf(s.Name)))})
		}
	}
	writeRows(&b, style.InWords("suites:\n"), suites, limit)
	var totals []row
	for _, t := range answer.Totals {
		if t.Delta != "0" && len(answer.Suites) > len(answer.Totals) {
			totals = append(totals, row{t.Figures, api.Plural(t.Measures, unitOf(t.Name))})
		}
	}
	writeRows(&b, "in all:\n", totals, limit)
	if len(answer.Conditions) > 0 {
		b.WriteString("the conditions differ: " + oneLine(metrics.Differences(answer.Conditions)) + "\n\n")
	}
	writeIncomparable(&b, answer.Incomparable, limit, style.Verbose)
	b.WriteString(oneLine(answer.Message) + "\n")
	return b.String()
}

// nameSource names a run, and what of it counts.
func nameSource(s metrics.Source, age string) string {
	what := string(s.Kind)
	switch {
	case s.Baseline:
		what = "the baseline, run"
	case !s.Whole && what == "run":
		what = "partial run"
	}
	text := fmt.Sprintf("%s %s, %s ago: %s", what, s.RunID, age, api.Plural(s.Tests, "test"))
	if s.LeftOut > 0 {
		text += fmt.Sprintf(", without %d that did not pass", s.LeftOut)
	}
	return text
}

// unitOf is what a total counts.
func unitOf(measureName string) string {
	if measureName == "gas_snapshot" {
		return "snapshot"
	}
	return "test"
}

func testName(suite, test, section string) string {
	name := suite + " " + test
	if section != "" {
		name += " [" + section + "]"
	}
	return name
}

func besideText(others []metrics.Beside) string {
	var text strings.Builder
	for _, o := range others {
		fmt.Fprintf(&text, "; %s %s → %s, %s", o.Kind, o.Before, o.After, signed(o.Delta))
	}
	return text.String()
}

// row is one line of numbers.
type row struct {
	figures metrics.Figures
	name    string
}

// writeRows writes numbers in columns: difference, percent, before → after.
func writeRows(b *strings.Builder, title string, rows []row, limit int) {
	if len(rows) == 0 {
		return
	}
	b.WriteString(title)
	shown := rows[:min(len(rows), limit)]
	cells := make([][4]string, len(shown))
	var widths [4]int
	for i, r := range shown {
		cells[i] = [4]string{signed(r.figures.Delta), percent(r.figures), string(r.figures.Before), string(r.figures.After)}
		for n, cell := range cells[i] {
			widths[n] = max(widths[n], min(utf8.RuneCountInString(cell), maxColumn))
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

// writeIncomparable names what was not compared, by reason. That fuzz tests drew other
// inputs is normal: these are only counted.
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
			b.WriteString("  " + oneLine(testName(i.Suite, i.Test, i.Section)) + "\n")
		}
		writeMore(b, len(group)-len(shown))
		b.WriteByte('\n')
	}
}

// percent formats the relative change; small ones keep their first digits.
func percent(f metrics.Figures) string {
	if f.Percent == nil {
		return ""
	}
	if p := *f.Percent; p > -0.01 && p < 0.01 {
		return fmt.Sprintf("%+.2g%%", p)
	}
	return fmt.Sprintf("%+.2f%%", *f.Percent)
}

// signed formats a difference with its sign.
func signed(n json.Number) string {
	if strings.HasPrefix(string(n), "-") || n == "0" {
		return string(n)
	}
	return "+" + string(n)
}

// Hint returns the command that helps if less was compared than possible.
func Hint(answer metrics.Answer, against string) string {
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
	case !c.IsEmpty() || c.Now == nil || c.Before == nil && against != api.AgainstBaseline:
		return ""
	case against == api.AgainstBaseline && c.Before == nil && len(c.Later) == 0:
		return "`proctor gas baseline set` makes the last run the baseline\n"
	}
	return "`proctor gas --against RUN` compares with another run\n"
}

// oneLine puts a foreign text on one line.
func oneLine(text string) string { return strings.ReplaceAll(prose.Plain(text), "\n", " ") }
