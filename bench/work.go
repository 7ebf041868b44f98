package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// work is a module under version control that proctor has run in.
type work struct {
	*bench
	dir, kept string
}

// newWork creates a copy of a module in which all tests pass.
func (b *bench) newWork(ctx context.Context, module string) (work, error) {
	source, err := download(ctx, module)
	if err != nil {
		return work{}, err
	}
	name := strings.NewReplacer("/", "_", "@", "_").Replace(module)
	w := work{bench: b, dir: filepath.Join(b.dir, "affected", name), kept: filepath.Join(b.dir, "affected", name+".kept")}
	if err := renew(w.dir, source); err != nil {
		return w, err
	}
	if err := w.skipFailing(ctx); err != nil {
		return w, err
	}
	return w, w.git(ctx, "init", "-q")
}

// skipFailing skips tests that fail on this machine, as some do for root: their panics would
// hide the outcomes of others.
func (w work) skipFailing(ctx context.Context) error {
	const most = 5
	for range most {
		suites, _, err := outcome.Of(ctx, w.dir)
		if err != nil {
			return err
		}
		var failed []string
		for _, s := range suites {
			for test, end := range s.Tests {
				if end != outcome.Passed && end != outcome.Skipped {
					failed = append(failed, test)
				}
			}
		}
		if len(failed) == 0 {
			return nil
		}
		for _, test := range failed {
			fmt.Fprintf(w.log, "%s fails here, and is skipped\n", test)
			if err := edit.Skip(w.dir, test); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("tests of %s keep failing", w.dir)
}

// index commits the current state, and has proctor run and index it.
func (w work) index(ctx context.Context) error {
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "as it was published"}} {
		if err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"run"}, {"covering", "index"}} {
		if _, err := measure.Run(ctx, w.proctor(w.dir, args...)); err != nil {
			return err
		}
	}
	return renew(w.kept, filepath.Join(w.dir, ".proctor"))
}

// restore reverts an edit and proctor's record of it.
func (w work) restore(ctx context.Context) error {
	for _, args := range [][]string{{"checkout", "-q", "--", "."}, {"clean", "-f", "-d", "-q"}} {
		if err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	return renew(filepath.Join(w.dir, ".proctor"), w.kept)
}

func (w work) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// runTwice runs the tests twice, and returns which ones differed and how they ended.
func (w work) runTwice(ctx context.Context) (map[outcome.Test]bool, outcome.Suites, error) {
	base, _, err := outcome.Of(ctx, w.dir)
	if err != nil {
		return nil, nil, err
	}
	again, _, err := outcome.Of(ctx, w.dir)
	if err != nil {
		return nil, nil, err
	}
	unstable := map[outcome.Test]bool{}
	tests, _ := again.Changed(base, nil)
	for _, t := range tests {
		unstable[t] = true
	}
	return unstable, base, nil
}
