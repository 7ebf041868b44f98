package postrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Command is a command to execute after runs.
type Command struct {
	// Line is split as by a shell, but executed without one. With a Dir the program may be
	// a path relative to it; otherwise it is in PATH, or its path is absolute: a relative
	// one would mean another file in each directory, including a cloned one.
	Line, Dir string
	// Env is its environment, besides the variables that describe the run.
	Env []string
	// Output receives what it prints.
	Output io.Writer
}

// Check returns an error if the command cannot be executed.
func (c Command) Check() error {
	_, err := c.argv()
	return err
}

func (c Command) argv() ([]string, error) {
	words, err := prose.SplitShellLine(c.Line)
	if err == nil && len(words) == 0 {
		err = fmt.Errorf("it is empty")
	}
	if err != nil {
		return nil, c.failed(err.Error())
	}
	name := words[0]
	if c.Dir != "" && strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		if name, err = filepath.Abs(filepath.Join(c.Dir, name)); err != nil {
			return nil, err
		}
	}
	if words[0], err = workspace.FindTool(name, c.Env); err != nil {
		return nil, c.failed(err.Error())
	}
	return words, nil
}

// Execute executes the command after a run. Cancelling ctx ends it.
func (c Command) Execute(ctx context.Context, run api.Run) error {
	argv, err := c.argv()
	if err != nil {
		return err
	}
	done, err := runner.Run(ctx, runner.Config{Argv: argv, Dir: c.Dir, Env: append(slices.Clone(c.Env), variables(run)...), Sink: c.print})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return c.failed(err.Error())
	case done.Exit.Signal != "":
		return c.failed("it was killed by " + done.Exit.Signal)
	case done.Exit.Code != 0:
		return c.failed(fmt.Sprintf("it exited with %d", done.Exit.Code))
	}
	return nil
}

func (c Command) failed(reason string) error {
	return errors.New("post-run-command " + prose.Line(c.Line) + ": " + reason)
}

func (c Command) print(_ context.Context, _ sdk.Stream, data []byte) error {
	_, err := c.Output.Write(data)
	return err
}

// variables returns the environment variables that describe a run to the command.
func variables(run api.Run) []string {
	n, c := strconv.Itoa, run.Counts
	return []string{
		"PROCTOR_VERDICT=" + string(run.Verdict), "PROCTOR_REASON=" + prose.Line(run.Reason), "PROCTOR_RUN=" + run.RunID,
		"PROCTOR_KIND=" + string(run.Kind), "PROCTOR_LANGUAGE=" + run.Language, "PROCTOR_WORKSPACE=" + run.Workspace,
		"PROCTOR_TESTS=" + n(c.Tests), "PROCTOR_PASSED=" + n(c.Passed), "PROCTOR_FAILED=" + n(c.Failed), "PROCTOR_SKIPPED=" + n(c.Skipped),
		"PROCTOR_UNFINISHED=" + n(c.Unfinished), "PROCTOR_NEVER_STARTED=" + n(c.NeverStarted), "PROCTOR_FAILURES=" + n(run.FailuresTotal),
		"PROCTOR_FLAKY=" + n(c.Flaky), "PROCTOR_QUARANTINED=" + n(run.Quarantined),
		"PROCTOR_OUTSTANDING=" + n(run.Outstanding), "PROCTOR_ELAPSED=" + strconv.FormatFloat(run.DurationS, 'f', 3, 64),
	}
}
