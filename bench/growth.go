package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/bench/internal/chart"
	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
)

// growthTurns is how often each point of a curve is measured.
const growthTurns = 3

// maxBend bounds how much faster than its input a cost may grow from one size to the next.
// Fixed costs make it grow more slowly.
const maxBend = 1.15

// growing is a cost that grows with an input.
type growing struct {
	what  string
	sizes []int
	write func(*stream.Recording, io.Writer, int) (stream.Count, error)
}

// growths are the inputs, each over three orders of magnitude.
func growths() []growing {
	return []growing{
		{"events", []int{1_000, 10_000, 100_000, 1_000_000}, func(r *stream.Recording, w io.Writer, n int) (stream.Count, error) { return r.Suites(w, seed, n) }},
		{"failing tests", []int{20, 200, 2_000, 20_000}, func(r *stream.Recording, w io.Writer, n int) (stream.Count, error) { return r.AllFail(w, n) }},
		{"paused subtests", []int{100, 1_000, 10_000, 100_000}, func(r *stream.Recording, w io.Writer, n int) (stream.Count, error) { return r.Live(w, n) }},
	}
}

// measureGrowth measures the CPU that reading recorded output takes at each size, and draws it
// beside gotestsum's.
func measureGrowth(ctx context.Context, b *bench) error {
	if err := b.checkPeers(); err != nil {
		return err
	}
	var panels []chart.Panel
	for _, g := range growths() {
		panel, err := b.growth(ctx, g)
		if err != nil {
			return fmt.Errorf("%s: %w", g.what, err)
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
	panel := chart.Panel{Title: "reading " + g.what, X: g.what, Y: "CPU s", Curves: []chart.Curve{{Name: "proctor"}, {Name: "gotestsum"}}}
	for _, size := range g.sizes {
		path, _, err := b.streamFile(recorded{
			name:  fmt.Sprintf("growth-%s-%d", g.what[:4], size),
			write: func(r *stream.Recording, w io.Writer) (stream.Count, error) { return g.write(r, w, size) },
		})
		if err != nil {
			return panel, err
		}
		read := b.proctor(b.dir, "ingest", "--dry-run", "--plugin", "go", path)
		read.Watch, read.Exits = true, []int{0, 1} // small streams may have no failure
		sum := b.runGotestsum(b.dir, "--raw-command", "--", "cat", path)
		sum.Watch, sum.Exits = true, read.Exits
		r, err := measure.Contest(ctx, growthTurns, measure.Contender{Name: "proctor", Command: read}, measure.Contender{Name: "gotestsum", Command: sum})
		if err != nil {
			return panel, err
		}
		for i := range panel.Curves {
			c := &panel.Curves[i]
			c.Points = append(c.Points, chart.Point{X: float64(size), Y: r.Median(i, measure.CPU)})
		}
		b.addFigures(fmt.Sprintf("read %d %s", size, g.what), r)
	}
	b.atMost("proctor's CPU for ten times the "+g.what+", to ten times its CPU", steepest(panel.Curves[0].Points), maxBend)
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
