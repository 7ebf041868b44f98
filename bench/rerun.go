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
	cells := medians(r, "s", measure.Wall)
	cells[gotestsumColumn] = fmt.Sprintf("%.3g s", again)
	b.addRow(fmt.Sprintf("rerun %d failed tests, wall", failing), cells)
	b.atMost(fmt.Sprintf("rerun of %d failures: wall to one grouped `go test -run`", failing), r.Ratio(0, 1, measure.Wall), mostToGrouped)
	return nil
}
