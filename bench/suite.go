package main

import (
	"context"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// contestRuns runs a module's tests with all contenders. The results begin with proctor, go
// test and gotestsum.
func (b *bench) contestRuns(ctx context.Context, what, dir string, turns int, watched bool) (measure.Result, error) {
	if err := b.checkPeers(); err != nil {
		return measure.Result{}, err
	}
	commands := []measure.Command{
		b.proctor(dir, "run"), goTest(dir, "./..."), b.runGotestsum(dir, "--", "-count=1", "./..."),
		b.pipeInto(dir, b.tparse), b.pipeInto(dir, "jq", "-c", failedEvents),
	}
	names := []string{"proctor", "go test -json", "gotestsum", "tparse", "jq"}
	var contenders []measure.Contender
	for i, c := range commands {
		c.Watch = watched
		contenders = append(contenders, measure.Contender{Name: names[i], Command: c})
	}
	r, err := measure.Contest(ctx, turns, contenders...)
	if err == nil {
		b.addFigures(what, r)
	}
	return r, err
}

// measureSmall measures proctor's fixed cost, with hardly anything to test.
func measureSmall(ctx context.Context, b *bench) error {
	const mostMS, mostRatio = 20, 1.3
	dir, err := b.writeModule("small", smallModule())
	if err != nil {
		return err
	}
	r, err := b.contestRuns(ctx, "run 3 small packages", dir, shortTurns*b.turns, false)
	if err != nil {
		return err
	}
	b.within("3 small packages: wall over `go test -json`", float64(r.Excess(0, 1, measure.Wall).Microseconds())/1e3, mostMS, "ms")
	b.addRow("3 small packages, wall over the runner's", excesses(r, 1))
	b.atMost("3 small packages: wall to `go test -json`", r.Ratio(0, 1, measure.Wall), mostRatio)
	return nil
}

// measureCached measures what proctor costs where the go command answers from its cache.
func measureCached(ctx context.Context, b *bench) error {
	const mostMS = 30
	dir, err := b.writeModule("unchanged", unchangedModule())
	if err != nil {
		return err
	}
	r, err := measure.Contest(ctx, 2*b.turns,
		measure.Contender{Name: "proctor", Command: b.proctor(dir, "run", "--cached")},
		measure.Contender{Name: "go test", Command: measure.Command{Argv: []string{"go", "test", "./..."}, Dir: dir}},
		measure.Contender{Name: "gotestsum", Command: b.runGotestsum(dir, "--", "./...")})
	if err != nil {
		return err
	}
	b.addFigures("run 30 unchanged packages", r)
	b.within("30 unchanged packages, --cached: wall over `go test ./...`", float64(r.Excess(0, 1, measure.Wall).Microseconds())/1e3, mostMS, "ms")
	b.addRow("30 unchanged packages, wall over the runner's", excesses(r, 1))
	return nil
}

// measureSuite measures a suite of a second or more.
func measureSuite(ctx context.Context, b *bench) error {
	const mostWall, mostCPU = 1.03, 1.05
	dir, err := b.writeModule("busy", busyModule())
	if err != nil {
		return err
	}
	r, err := b.contestRuns(ctx, "run a suite that computes", dir, 2*b.turns, false)
	if err != nil {
		return err
	}
	b.atMost("a suite of seconds: wall to `go test -json`", r.Ratio(0, 1, measure.Wall), mostWall)
	b.addRow("a suite of seconds, wall", medians(r, measure.Wall))
	b.atMost("a suite of seconds: CPU to `go test -json`", r.Ratio(0, 1, measure.CPU), mostCPU)
	return nil
}

// measureFlood measures a test that prints faster than anybody reads.
func measureFlood(ctx context.Context, b *bench) error {
	const most = 1.1
	dir, err := b.writeModule("loud", loudModule())
	if err != nil {
		return err
	}
	r, err := b.contestRuns(ctx, "run a flood of 1 M lines", dir, b.turns, true)
	if err != nil {
		return err
	}
	b.atMost("flood: wall to gotestsum", r.Ratio(0, 2, measure.Wall), most)
	b.addRow("a flood of 1 M lines, wall", medians(r, measure.Wall))
	b.atMost("flood: CPU to gotestsum", r.Ratio(0, 2, measure.CPU), most)
	b.addRow("a flood of 1 M lines, CPU", medians(r, measure.CPU))
	for _, program := range proctorPrograms {
		b.within("flood: peak of "+program, float64(r.Peak(0, program))/mib, maxPeak/mib, "MiB")
	}
	return nil
}
