package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// work is a module under version control that proctor has run in.
type work struct {
	*bench
	dir, kept string
	// env is an addition to the environment of all commands.
	env []string
}

// newWork creates a copy of a module in which all tests pass, and returns how they ended and
// how long they took.
func (b *bench) newWork(ctx context.Context, module string, env ...string) (work, outcome.Suites, time.Duration, error) {
	source, err := download(ctx, module)
	if err != nil {
		return work{}, nil, 0, err
	}
	w := b.workAt(module)
	w.env = env
	if err := renew(w.dir, source); err != nil {
		return w, nil, 0, err
	}
	base, took, err := w.skipFailing(ctx)
	if err != nil {
		return w, nil, 0, err
	}
	return w, base, took, w.git(ctx, "init", "-q")
}

// workAt returns where the work on a module is.
func (b *bench) workAt(module string) work {
	name := flat(module)
	return work{bench: b, dir: filepath.Join(b.dir, "affected", name), kept: filepath.Join(b.dir, "affected", name+".kept")}
}

// flat makes a file's name of a module and its version.
func flat(module string) string { return strings.NewReplacer("/", "_", "@", "_").Replace(module) }

// skipFailing skips tests that fail on this machine, as some do for root: their panics would
// hide the outcomes of others.
func (w work) skipFailing(ctx context.Context) (outcome.Suites, time.Duration, error) {
	const most = 5
	for range most {
		suites, took, err := outcome.Of(ctx, w.dir, w.env...)
		if err != nil {
			return nil, 0, err
		}
		var failed []string
		for _, s := range suites {
			for test, end := range s.Tests {
				if end != outcome.Passed && end != outcome.Skipped {
					failed = append(failed, test)
				}
			}
		}
		skipped := 0
		for _, test := range failed {
			switch err := edit.Skip(w.dir, test); {
			case errors.Is(err, edit.ErrNotDeclared): // a test that another runs itself
				fmt.Fprintf(w.log, "%s fails here, and stays: %v\n", test, err)
			case err != nil:
				return nil, 0, err
			default:
				fmt.Fprintf(w.log, "%s fails here, and is skipped\n", test)
				skipped++
			}
		}
		if skipped == 0 {
			return suites, took, nil
		}
	}
	return nil, 0, fmt.Errorf("tests of %s keep failing", w.dir)
}

// indexBudget is how long an index may take. What it does not get to is chosen whole.
const indexBudget = "4m"

// index commits the current state, and has proctor run and index it.
func (w work) index(ctx context.Context) error {
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "as it was published"}} {
		if err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"run"}, {"covering", "index", "--budget", indexBudget}} {
		command := w.command(args...)
		if args[0] == "covering" {
			command.Exits = []int{0, 1, 6} // what could not be built with coverage, or in time, is chosen whole
		}
		began := time.Now()
		if _, err := measure.Run(ctx, command); err != nil {
			return err
		}
		fmt.Fprintf(w.log, "proctor %s took %s\n", strings.Join(args, " "), time.Since(began).Round(time.Second))
	}
	return renew(w.kept, filepath.Join(w.dir, ".proctor"))
}

// command returns a proctor command.
func (w work) command(args ...string) measure.Command {
	command := w.proctor(w.dir, args...)
	command.Env = append(command.Env, w.env...)
	return command
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
	_, err := w.askGit(ctx, args...)
	return err
}

func (w work) askGit(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return string(out), nil
}
