package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// shortTurns is how often something that takes milliseconds is measured for each turn of the
// others: a single sample would be mostly noise.
const shortTurns = 5

// measureStart measures a whole invocation that starts the plugin and makes one call, to
// parse empty output.
func measureStart(ctx context.Context, b *bench) error {
	const most = 20
	empty := filepath.Join(b.dir, "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		return err
	}
	c := b.proctor(b.dir, "ingest", "--dry-run", "--plugin", "go", "--exit-code", "0", empty)
	const nothingRan = 4
	c.Exits = []int{nothingRan}
	r, err := measure.Contest(ctx, shortTurns*b.turns, measure.Contender{Name: "proctor", Command: c})
	if err != nil {
		return err
	}
	b.within("an invocation with one call to the plugin, wall", 1e3*r.Median(0, measure.Wall), most, "ms")
	b.addRow("one call to a plugin: start, answer, end", medians(r, measure.Wall))
	b.addFigures("one call to the plugin", r)
	return nil
}
