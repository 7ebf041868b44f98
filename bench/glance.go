package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// Columns of the last table: proctor, programs that do the same, and the runner alone.
const (
	ours = iota
	gotestsumColumn
	tparseColumn
	jqColumn
	bareColumn
	columns
)

// row is a line of the last table.
type row struct {
	what  string
	cells [columns]string
	goal  goal
}

// addRow adds a line to the last table, about the most recent goal.
func (t *tables) addRow(what string, cells [columns]string) {
	t.rows = append(t.rows, row{what, cells, t.goals[len(t.goals)-1]})
}

// onlyOurs returns the cells for something that only proctor does.
func onlyOurs(format string, args ...any) (cells [columns]string) {
	cells[ours] = fmt.Sprintf(format, args...)
	return cells
}

// columnOf returns a contender's column, or false if it has none.
func columnOf(name string) (int, bool) {
	switch {
	case strings.HasPrefix(name, "proctor"):
		return ours, true
	case strings.HasPrefix(name, "gotestsum"):
		return gotestsumColumn, true
	case strings.HasPrefix(name, "tparse"):
		return tparseColumn, true
	case strings.HasPrefix(name, "jq"):
		return jqColumn, true
	case name == "go test -json", strings.HasPrefix(name, "forge test"), strings.HasPrefix(name, "one grouped"):
		return bareColumn, true
	}
	return 0, false
}

// medians returns the seconds of a contest as cells. If several contenders share a column, the
// last one counts.
func medians(r measure.Result, figure func(measure.Sample) float64) (cells [columns]string) {
	for i, name := range r.Names {
		if at, ok := columnOf(name); ok {
			cells[at] = fmt.Sprintf("%.3g s", r.Median(i, figure))
		}
	}
	return cells
}

// excesses returns the cells of a contest about a fixed cost: how much longer contenders
// take than the bare runner.
func excesses(r measure.Result, bare int) (cells [columns]string) {
	for i, name := range r.Names {
		if at, ok := columnOf(name); ok && i != bare {
			cells[at] = fmt.Sprintf("%+.1f ms", 1e3*r.Excess(i, bare, measure.Wall).Seconds())
		}
	}
	return cells
}

// memories returns the memory of all programs that read, added up, without runners and
// compilers.
func memories(r measure.Result) (cells [columns]string) {
	for i, name := range r.Names {
		total := int64(0)
		for _, program := range append(proctorPrograms[:], "gotestsum", "tparse", "jq") {
			total += r.Peak(i, program)
		}
		if at, ok := columnOf(name); ok && total > 0 {
			cells[at] = fmt.Sprintf("%d MiB", total/mib)
		}
	}
	return cells
}

// printGlance writes the last table.
func (t *tables) printGlance(out io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| at a glance | proctor | gotestsum | tparse | jq | go, forge | measured | wanted | reached |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range t.rows {
		for i, cell := range r.cells {
			if cell == "" {
				r.cells[i] = "–"
			}
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", r.what, strings.Join(r.cells[:], " | "), r.goal.got, r.goal.want, r.goal.word())
	}
}
