package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
)

// bench is one round of measurements.
type bench struct {
	out io.Writer // the tables
	log io.Writer // what is going on

	bin       string // holds proctor and proctor-plugin-go
	gotestsum string
	dir       string
	turns     int
	results   int // in the history that is asked
	edits     int // at random, of each real module
	seed      uint64
	modules   string // real ones, whose coverage is measured
	recording *stream.Recording

	goals   []goal
	figures []figures
}

// area is a part of the measurements that can be chosen.
type area struct {
	name    string
	measure func(*bench, context.Context) error
}

func areas() []area {
	return []area{
		{"streams", (*bench).streams},
		{"start", (*bench).start},
		{"small", (*bench).small},
		{"suite", (*bench).suite},
		{"flood", (*bench).flood},
		{"rerun", (*bench).rerun},
		{"forge", (*bench).forge},
		{"history", (*bench).history},
		{"mcp", (*bench).mcp},
		{"agent", (*bench).agent},
		{"coverage", (*bench).coverage},
		{"affected", (*bench).affected},
		{"parts", (*bench).parts},
	}
}

func areaNames() []string {
	var names []string
	for _, a := range areas() {
		names = append(names, a.name)
	}
	return names
}

func areasNamed(list string) ([]area, error) {
	if list == "" {
		return areas(), nil
	}
	var chosen []area
	for _, name := range strings.Split(list, ",") {
		found := false
		for _, a := range areas() {
			if a.name == name {
				chosen, found = append(chosen, a), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no area %q; there are %s", name, strings.Join(areaNames(), ", "))
		}
	}
	return chosen, nil
}

// measure measures the areas and prints the tables, also those of a round that
// came to an early end.
func (b *bench) measure(ctx context.Context, chosen []area) error {
	for _, a := range chosen {
		fmt.Fprintf(b.log, "== %s\n", a.name)
		if err := a.measure(b, ctx); err != nil {
			b.print()
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	b.print()
	return nil
}

// prepare makes the directory and the programs. The function it returns takes
// away what is temporary.
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
	for _, path := range []*string{&b.dir, &b.gotestsum, &b.bin} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return cleanup, err
		}
		if *path != "" {
			*path = abs
		}
	}
	if _, err := os.Stat(b.gotestsum); err != nil {
		return cleanup, fmt.Errorf("gotestsum is compared with and is not there: %w; `make bench` installs it", err)
	}
	if b.bin == "" {
		b.bin = filepath.Join(b.dir, "bin") + string(filepath.Separator)
		// As for a release: without cgo the programs start without a linker.
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.bin, "./cmd/...")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return cleanup, fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	return cleanup, nil
}

// proctor is a command of proctor's, in a session of its own: a run must not
// wait for another's.
func (b *bench) proctor(dir string, args ...string) measure.Command {
	return measure.Command{
		Argv: append([]string{filepath.Join(b.bin, "proctor")}, args...),
		Dir:  dir, Env: []string{"PROCTOR_SESSION=bench"},
	}
}

// goTest is bare `go test -json`, read through a pipe as a runner would.
func goTest(dir string, args ...string) measure.Command {
	return measure.Command{Argv: append([]string{"go", "test", "-json", "-count=1"}, args...), Dir: dir, Piped: true}
}

// sum is gotestsum at its fastest.
func (b *bench) sum(dir string, args ...string) measure.Command {
	return measure.Command{Argv: append([]string{b.gotestsum, "--format", "none"}, args...), Dir: dir}
}
