package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/chart"
	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
	"github.com/proctorhq/proctor/host/history/historytest"
)

// growthTurns is how often each point of a curve is measured.
const growthTurns = 3

// maxBend bounds how much faster than its input a cost may grow from one size to the next.
// Fixed costs make it grow more slowly.
const maxBend = 1.15

// growing is a cost that grows with an input.
type growing struct {
	title, what string
	sizes       []int
	// contenders returns the programs to measure at a size, always in the same order.
	contenders func(ctx context.Context, b *bench, size int) ([]measure.Contender, error)
}

// growths are the inputs, each over three orders of magnitude, or nearly.
func growths() []growing {
	return []growing{
		{"reading events", "events", []int{1_000, 10_000, 100_000, 1_000_000}, reading("even", func(r *stream.Recording, w io.Writer, n int) (stream.Count, error) { return r.Suites(w, seed, n) })},
		{"reading failing tests", "failing tests", []int{20, 200, 2_000, 20_000}, reading("fail", func(r *stream.Recording, w io.Writer, n int) (stream.Count, error) { return r.AllFail(w, n) })},
		{"reading paused subtests", "paused subtests", []int{100, 1_000, 10_000, 100_000}, reading("paus", func(r *stream.Recording, w io.Writer, n int) (stream.Count, error) { return r.Live(w, n) })},
		{"running packages", "packages", []int{5, 50, 500, 5_000}, runningPackages},
		{"running beside a record", "results on record", []int{10_000, 100_000, 1_000_000}, besideResults},
		{"asking a record", "results on record", []int{10_000, 100_000, 1_000_000}, askingResults},
		{"running beside files", "files of the workspace", []int{50, 500, 5_000, 50_000}, besideFiles},
		{"recording at once", "processes", []int{1, 4, 16, 64}, recordingAtOnce},
	}
}

// measureGrowth measures the CPU that each size takes, and draws it beside gotestsum's.
func measureGrowth(ctx context.Context, b *bench) error {
	if err := b.checkPeers(); err != nil {
		return err
	}
	var panels []chart.Panel
	for _, g := range growths() {
		panel, err := b.growth(ctx, g)
		if err != nil {
			return fmt.Errorf("%s: %w", g.title, err)
		}
		panels = append(panels, panel)
	}
	path := filepath.Join(b.dir, "growth.svg")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(chart.Draw(f, panels), f.Close()); err != nil {
		return err
	}
	fmt.Fprintln(b.log, "drawn:", path)
	return nil
}

func (b *bench) growth(ctx context.Context, g growing) (chart.Panel, error) {
	panel := chart.Panel{Title: g.title, X: g.what, Y: "CPU s"}
	// All sizes take turns, so that what else the machine does bends no curve.
	var all []measure.Contender
	each := 0
	for _, size := range g.sizes {
		contenders, err := g.contenders(ctx, b, size)
		if err != nil {
			return panel, err
		}
		all, each = append(all, contenders...), len(contenders)
	}
	r, err := measure.Contest(ctx, growthTurns, all...)
	if err != nil {
		return panel, err
	}
	for i, size := range g.sizes {
		of := measure.Result{Names: r.Names[i*each : (i+1)*each], Samples: r.Samples[i*each : (i+1)*each]}
		for c, name := range of.Names {
			if len(panel.Curves) == c {
				panel.Curves = append(panel.Curves, chart.Curve{Name: name})
			}
			panel.Curves[c].Points = append(panel.Curves[c].Points, chart.Point{X: float64(size), Y: of.Median(c, measure.CPU)})
		}
		b.addFigures(fmt.Sprintf("%s: %d", g.title, size), of)
	}
	for _, c := range panel.Curves {
		if c.Name != "gotestsum" {
			b.atMost(fmt.Sprintf("%s: CPU of %s for more %s, to as many times its CPU", g.title, c.Name, g.what), steepest(c.Points), maxBend)
		}
	}
	return panel, nil
}

// steepest returns the largest factor by which a curve outgrows its input between two points.
func steepest(points []chart.Point) float64 {
	most := 0.0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		most = math.Max(most, (b.Y/a.Y)/(b.X/a.X))
	}
	return most
}

// reading returns those who read recorded output.
func reading(name string, write func(*stream.Recording, io.Writer, int) (stream.Count, error)) func(context.Context, *bench, int) ([]measure.Contender, error) {
	return func(_ context.Context, b *bench, size int) ([]measure.Contender, error) {
		path, _, err := b.streamFile(recorded{
			name:  fmt.Sprintf("growth-%s-%d", name, size),
			write: func(r *stream.Recording, w io.Writer) (stream.Count, error) { return write(r, w, size) },
		})
		read := b.proctor(b.dir, "ingest", "--dry-run", "--plugin", "go", path)
		read.Watch, read.Exits = true, []int{0, 1} // small streams may have no failure
		sum := b.runGotestsum(b.dir, "--raw-command", "--", "cat", path)
		sum.Watch, sum.Exits = true, read.Exits
		return []measure.Contender{{Name: "proctor", Command: read}, {Name: "gotestsum", Command: sum}}, err
	}
}

// runningPackages returns those who run packages of two tests each.
func runningPackages(_ context.Context, b *bench, packages int) ([]measure.Contender, error) {
	return b.printed(fmt.Sprintf("packages-%d", packages), packages, map[string]string{})
}

// besideFiles returns those who run three packages in a workspace with files.
func besideFiles(ctx context.Context, b *bench, n int) ([]measure.Contender, error) {
	const most = 100 // in a directory
	files := map[string]string{".gitignore": ".proctor/\n"}
	for i := range n {
		files[fmt.Sprintf("data/d%04d/f%02d.txt", i/most, i%most)] = fmt.Sprintf("file %d\n", i)
	}
	contenders, err := b.printed(fmt.Sprintf("files-%d", n), 3, files)
	if err != nil {
		return nil, err
	}
	w := work{bench: b, dir: contenders[0].Command.Dir}
	return contenders, errors.Join(w.git(ctx, "init", "-q"), w.git(ctx, "add", "-A"), w.git(ctx, "commit", "-q", "-m", "all"))
}

// besideResults returns a run of 30 tests, which is recorded.
func besideResults(ctx context.Context, b *bench, results int) ([]measure.Contender, error) {
	dir, err := b.writeBesideModule(ctx, results)
	if err != nil {
		return nil, err
	}
	bin, err := writePrintingGo(filepath.Join(b.dir, "printing-small"), 1, besideTests)
	run := b.proctor(dir, "run")
	run.Env = append(run.Env, bin)
	sum := b.runGotestsum(dir, "./...")
	sum.Env = append(sum.Env, bin)
	return []measure.Contender{{Name: "proctor", Command: run}, {Name: "gotestsum", Command: sum}}, err
}

// askingResults returns commands that read a record.
func askingResults(ctx context.Context, b *bench, results int) ([]measure.Contender, error) {
	dir, err := b.writeBesideModule(ctx, results)
	test := historytest.FilledTest(0)
	ask := func(name string, args ...string) measure.Contender {
		return measure.Contender{Name: name, Command: b.proctor(dir, args...)}
	}
	name := test.Suite + "/" + test.Test
	return []measure.Contender{
		ask("history", "history"), ask("history --slow", "history", "--slow"), ask("history TEST", "history", name), ask("runs", "runs"),
	}, err
}

// recordingAtOnce returns processes that record 30 results each in one history. Each has
// an output of its own in every turn: one that is on record is not recorded again.
func recordingAtOnce(_ context.Context, b *bench, processes int) ([]measure.Contender, error) {
	contenders, err := b.printed(fmt.Sprintf("writers-%d", processes), 1, map[string]string{})
	if err != nil {
		return nil, err
	}
	run := contenders[0].Command
	outputs := run.Dir + "-outputs" // no sources of the module
	if err := os.MkdirAll(outputs, 0o755); err != nil {
		return nil, err
	}
	script := fmt.Sprintf("pids=; for i in $(seq %d); do PROCTOR_SESSION=bench$i %q ingest --plugin go --exit-code 0 %q/$i.jsonl >&2 & pids=\"$pids $!\"; done; for p in $pids; do wait $p || exit; done", processes, run.Argv[0], outputs)
	run.Argv = []string{"sh", "-c", script}
	turn := 0
	before := func(context.Context) error {
		recorded, err := os.ReadDir(filepath.Join(run.Dir, ".proctor", "runs"))
		if turn > 0 && err != nil {
			return err
		}
		if len(recorded) < turn*processes {
			return fmt.Errorf("%d runs are on record after %d turns of %d processes", len(recorded), turn, processes)
		}
		turn++
		text := string(printedTests(1, besideTests))
		for i := range processes {
			path := filepath.Join(outputs, fmt.Sprintf("%d.jsonl", i+1))
			if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "0.004", fmt.Sprintf("%d.%03d", turn, i))), 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	return []measure.Contender{{Name: "proctor", Command: run, Before: before}}, nil
}

// printed writes a module of small packages with other files, and returns those who run it with
// a go command that only prints what the real one would.
func (b *bench) printed(name string, packages int, files map[string]string) ([]measure.Contender, error) {
	const tests = 2
	for p := range packages {
		files[fmt.Sprintf("p%04d/p_test.go", p)] = fmt.Sprintf("package p%04d\n\nimport \"testing\"\n\nfunc Test0(t *testing.T) {}\n\nfunc Test1(t *testing.T) {}\n", p)
	}
	files["go.mod"] = "module bench.example/printed\n\ngo 1.21\n"
	dir := filepath.Join(b.dir, name)
	if err := errors.Join(os.RemoveAll(dir), edit.WriteFiles(dir, files)); err != nil {
		return nil, err
	}
	bin, err := writePrintingGo(filepath.Join(b.dir, "printing-"+name), packages, tests)
	run := b.proctor(dir, "run")
	run.Env = append(run.Env, bin)
	sum := b.runGotestsum(dir, "./...")
	sum.Env = append(sum.Env, bin)
	return []measure.Contender{{Name: "proctor", Command: run}, {Name: "gotestsum", Command: sum}}, err
}

// writePrintingGo creates a go command whose tests pass without being run, and returns the
// variable that names it.
func writePrintingGo(dir string, packages, tests int) (string, error) {
	script := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = test ] || { echo \"go $*: only tests are printed\" >&2; exit 2; }\nexec cat %q\n", filepath.Join(dir, "printed.jsonl"))
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "printed.jsonl"), printedTests(packages, tests), 0o644), os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755))
	}
	return "PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH"), err
}

// printedTests returns what go test -json prints for packages of which all tests pass.
func printedTests(packages, tests int) []byte {
	const at = `{"Time":"2026-11-27T04:00:00.0Z","Action":`
	var out strings.Builder
	for p := range packages {
		pkg := fmt.Sprintf("bench.example/printed/p%04d", p)
		fmt.Fprintf(&out, "%s\"start\",\"Package\":%q}\n", at, pkg)
		for t := range tests {
			test := fmt.Sprintf("Test%d", t)
			fmt.Fprintf(&out, "%s\"run\",\"Package\":%q,\"Test\":%q}\n", at, pkg, test)
			fmt.Fprintf(&out, "%s\"output\",\"Package\":%q,\"Test\":%q,\"Output\":\"=== RUN   %s\\n\"}\n", at, pkg, test, test)
			fmt.Fprintf(&out, "%s\"output\",\"Package\":%q,\"Test\":%q,\"Output\":\"--- PASS: %s (0.00s)\\n\"}\n", at, pkg, test, test)
			fmt.Fprintf(&out, "%s\"pass\",\"Package\":%q,\"Test\":%q,\"Elapsed\":0}\n", at, pkg, test)
		}
		fmt.Fprintf(&out, "%s\"output\",\"Package\":%q,\"Output\":\"PASS\\n\"}\n", at, pkg)
		fmt.Fprintf(&out, "%s\"output\",\"Package\":%q,\"Output\":\"ok  \\t%s\\t0.004s\\n\"}\n", at, pkg, pkg)
		fmt.Fprintf(&out, "%s\"pass\",\"Package\":%q,\"Elapsed\":0.004}\n", at, pkg)
	}
	return []byte(out.String())
}
