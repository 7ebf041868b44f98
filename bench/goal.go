package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// goal is something to reach, and what was measured.
type goal struct {
	what, want, got string
	reached         bool
	// ratio is what was measured, if that is a ratio. If more is set, more is better.
	ratio float64
	more  bool
}

// figures are one contender's medians.
type figures struct {
	what, program string
	wall, cpu     float64
	peaks         string
}

// word says in a word whether the goal was reached.
func (g goal) word() string {
	if g.reached {
		return "yes"
	}
	return "**no**"
}

// tables is the result of a round.
type tables struct {
	goals   []goal
	figures []figures
	rows    []row // at a glance
}

const mib = 1 << 20

// atLeast and atMost add a goal about a ratio.
func (t *tables) atLeast(what string, got, want float64) {
	t.goals = append(t.goals, goal{what: what, want: fmt.Sprintf("≥ %.3g×", want), got: fmt.Sprintf("%.2f×", got), reached: got >= want, ratio: got, more: true})
}

func (t *tables) atMost(what string, got, want float64) {
	t.goals = append(t.goals, goal{what: what, want: fmt.Sprintf("≤ %.3g×", want), got: fmt.Sprintf("%.3f×", got), reached: got <= want, ratio: got})
}

// within adds a goal about an amount with a unit.
func (t *tables) within(what string, got, most float64, unit string) {
	t.goals = append(t.goals, goal{what: what, want: fmt.Sprintf("≤ %g %s", most, unit), got: fmt.Sprintf("%.1f %s", got, unit), reached: got <= most})
}

// none adds the goal that nothing was found.
func (t *tables) none(what string, found []string) {
	g := goal{what: what, want: "0", got: "0", reached: len(found) == 0}
	if !g.reached {
		g.got = fmt.Sprintf("%d: %s", len(found), strings.Join(found, ", "))
	}
	t.goals = append(t.goals, g)
}

// addFigures adds the figures of all contenders.
func (t *tables) addFigures(what string, r measure.Result) {
	for i, name := range r.Names {
		t.figures = append(t.figures, figures{
			what: what, program: name, wall: r.Median(i, measure.Wall), cpu: r.Median(i, measure.CPU), peaks: peaks(r, i),
		})
	}
}

// peaks returns the relevant programs of a contender's process tree with their peaks,
// leaving out compilers and cat.
func peaks(r measure.Result, contender int) string {
	var parts []string
	for _, program := range append(proctorPrograms[:], "proctor-plugin-forge", "gotestsum", "tparse", "jq", "go") {
		if peak := r.Peak(contender, program); peak > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", program, peak/mib))
		}
	}
	return strings.Join(parts, ", ")
}

// print writes the tables in Markdown.
func (t *tables) print(out io.Writer) {
	fmt.Fprintf(out, "\n| goal | wanted | measured | reached |\n|---|---|---|---|\n")
	for _, g := range t.goals {
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", g.what, g.want, g.got, g.word())
	}
	fmt.Fprintf(out, "\n| what | program | CPU s | wall s | peak MiB |\n|---|---|---|---|---|\n")
	for _, f := range t.figures {
		fmt.Fprintf(out, "| %s | %s | %.3f | %.3f | %s |\n", f.what, f.program, f.cpu, f.wall, f.peaks)
	}
	t.printGlance(out)
}
