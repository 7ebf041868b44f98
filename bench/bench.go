package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
)

// bench is one round of measurements.
type bench struct {
	out io.Writer // the tables
	log io.Writer // progress

	bin       string // holds proctor and proctor-plugin-go
	gotestsum string
	tparse    string
	dir       string
	turns     int
	results   int // in the history that is queried
	edits     int // random ones, in each real module
	seed      uint64
	modules   string // real ones, whose coverage is measured
	rounds    int    // of the soak; 0 means as many as time allows
	soakFlags string // GOFLAGS of the soak; none unless in a test
	quick     bool
	recording *stream.Recording

	tables
}

// area is a part of the measurements that can be selected.
type area struct {
	name    string
	measure func(context.Context, *bench) error
	// when says in which rounds it is measured unless the user names areas.
	when occasion
}

// occasion is when an area that was not named is measured.
type occasion int

const (
	always    occasion = iota
	unhurried          // not in a quick round
	named              // never: it takes too long
)

func areas() []area {
	return []area{
		{"streams", measureStreams, always},
		{"start", measureStart, always},
		{"small", measureSmall, always},
		{"cached", measureCached, always},
		{"suite", measureSuite, always},
		{"flood", measureFlood, always},
		{"rerun", measureRerun, always},
		{"forge", measureForge, always},
		{"history", measureHistory, always},
		{"beside", measureBeside, unhurried},
		{"mcp", measureMCP, always},
		{"agent", measureAgent, unhurried},
		{"coverage", measureCoverage, always},
		{"parts", measureParts, unhurried},
		{"growth", measureGrowth, named},
		{"shards", measureShards, named},
		{"affected", measureAffected, named},
		{"faults", measureFaults, named},
		{"soak", measureSoak, named},
	}
}

func areaNames() []string {
	var names []string
	for _, a := range areas() {
		names = append(names, a.name)
	}
	return names
}

// selectAreas returns the areas in a list or, if it is empty, all areas of a round.
func selectAreas(list string, quick bool) ([]area, error) {
	var chosen []area
	if list == "" {
		for _, a := range areas() {
			if a.when == always || a.when == unhurried && !quick {
				chosen = append(chosen, a)
			}
		}
		return chosen, nil
	}
	for _, name := range strings.Split(list, ",") {
		found := false
		for _, a := range areas() {
			if a.name == name {
				chosen, found = append(chosen, a), true
			}
		}
		if !found {
			return nil, fmt.Errorf("unknown area %q; the areas are %s", name, strings.Join(areaNames(), ", "))
		}
	}
	return chosen, nil
}

// measure measures the areas and prints the tables, even if the round ends early.
func (b *bench) measure(ctx context.Context, chosen []area) error {
	for _, a := range chosen {
		fmt.Fprintf(b.log, "== %s\n", a.name)
		began := time.Now()
		if err := a.measure(ctx, b); err != nil {
			b.print(b.out)
			return fmt.Errorf("%s: %w", a.name, err)
		}
		fmt.Fprintf(b.log, "%s took %s\n", a.name, time.Since(began).Round(time.Second))
	}
	b.print(b.out)
	return nil
}

// prepare creates the directory and builds the programs. The function it returns removes a
// temporary directory.
func (b *bench) prepare(ctx context.Context) (func(), error) {
	cleanup := func() {}
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "proctor-bench-*")
		if err != nil {
			return cleanup, err
		}
		b.dir, cleanup = dir, func() { os.RemoveAll(dir) }
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return cleanup, err
	}
	for _, path := range []*string{&b.dir, &b.gotestsum, &b.tparse, &b.bin} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return cleanup, err
		}
		if *path != "" {
			*path = abs
		}
	}
	if b.bin == "" {
		b.bin = filepath.Join(b.dir, "bin") + string(filepath.Separator)
		// Built as for a release: without cgo, no dynamic linker runs at start.
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags=grpcnotrace,nethttpomithttp2", "-ldflags=-s -w", "-o", b.bin, "./cmd/...")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return cleanup, fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	return cleanup, nil
}

// proctor returns a proctor command in a session of its own.
func (b *bench) proctor(dir string, args ...string) measure.Command {
	return measure.Command{
		Argv: append([]string{filepath.Join(b.bin, "proctor")}, args...),
		Dir:  dir, Env: []string{"PROCTOR_SESSION=bench"},
	}
}
