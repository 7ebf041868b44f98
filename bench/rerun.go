package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// measureRerun measures rerunning failed tests of one package.
func measureRerun(ctx context.Context, b *bench) error {
	const minToSum, mostToGrouped = 10, 1.5
	if err := b.checkPeers(); err != nil {
		return err
	}
	dir, err := b.writeModule("broken", brokenModule())
	if err != nil {
		return err
	}
	failed := func(c measure.Command) measure.Command { c.Exits = []int{1}; return c }
	if _, err := measure.Run(ctx, failed(b.proctor(dir, "run"))); err != nil {
		return err
	}
	var names []string
	for i := range failing {
		names = append(names, fmt.Sprintf("TestBroken%02d", i))
	}
	r, err := measure.Contest(ctx, b.turns,
		measure.Contender{Name: "proctor rerun", Command: failed(b.proctor(dir, "rerun"))},
		measure.Contender{Name: "one grouped go test -run", Command: failed(goTest(dir, "-run", "^("+strings.Join(names, "|")+")$", "./broken"))},
		measure.Contender{Name: "gotestsum", Command: failed(b.runGotestsum(dir, "--packages", "./...", "--", "-count=1"))},
		measure.Contender{Name: "gotestsum --rerun-fails", Command: failed(b.runGotestsum(dir,
			"--rerun-fails=1", "--rerun-fails-max-failures=100", "--packages", "./...", "--", "-count=1"))},
	)
	if err != nil {
		return err
	}
	b.addFigures(fmt.Sprintf("rerun %d failed tests", failing), r)
	// gotestsum's reruns cost the difference between a run with and one without them.
	again := r.Excess(3, 2, measure.Wall).Seconds()
	b.atLeast(fmt.Sprintf("rerun of %d failures: gotestsum's wall time to proctor's", failing), again/r.Median(0, measure.Wall), minToSum)
	cells := medians(r, measure.Wall)
	cells[gotestsumColumn] = fmt.Sprintf("%.3g s", again)
	b.addRow(fmt.Sprintf("rerun %d failed tests, wall", failing), cells)
	b.atMost(fmt.Sprintf("rerun of %d failures: wall to one grouped `go test -run`", failing), r.Ratio(0, 1, measure.Wall), mostToGrouped)
	return measureOutstanding(ctx, b, dir)
}

// measureOutstanding measures what questions about very many failures cost, compared with
// the few in dir.
func measureOutstanding(ctx context.Context, b *bench, few string) error {
	const mostMS, mostRatio = 50, 8
	dir, err := b.writeModule("failing", failingModule())
	if err != nil {
		return err
	}
	run := b.proctor(dir, "run")
	run.Exits = []int{1}
	if _, err := measure.Run(ctx, run); err != nil {
		return err
	}
	r, err := measure.Contest(ctx, shortTurns*b.turns,
		measure.Contender{Name: "context", Command: b.proctor(dir, "mcp", "context")},
		measure.Contender{Name: "rerun --list", Command: b.proctor(dir, "rerun", "--list")},
		measure.Contender{Name: "context of few", Command: b.proctor(few, "mcp", "context")},
		measure.Contender{Name: "rerun --list of few", Command: b.proctor(few, "rerun", "--list")})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%d outstanding", manyFailing)
	b.addFigures(what, r)
	b.within(what+": context, wall", 1e3*r.Median(0, measure.Wall), mostMS, "ms")
	b.atMost(fmt.Sprintf("%s: CPU of context to that of %d", what, failing), r.Ratio(0, 2, measure.CPU), mostRatio)
	b.atMost(fmt.Sprintf("%s: CPU of rerun --list to that of %d", what, failing), r.Ratio(1, 3, measure.CPU), mostRatio)
	return nil
}
