package project

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// prepared is a command that can be executed.
type prepared struct {
	runner.Config
	// Scratch is its scratch directory; empty where it has none.
	Scratch string
	// Cleanup removes what was made for it.
	Cleanup func()
}

// Prepare turns a plugin's command into one that can be executed.
func (h *Host) Prepare(p Project, cmd sdk.Command, deadline time.Time) (prepared, error) {
	env := h.Cfg.Env
	if p.changed {
		env = p.Environ
	}
	env = workspace.Unsetenv(env, cmd.UnsetEnv)
	if len(cmd.Argv) == 0 {
		return prepared{}, fmt.Errorf("plugin %s composed a command without a program", p.ID.Name)
	}
	dirs := h.toolDirs(p.ID.ToolDirs)
	path, err := workspace.FindTool(cmd.Argv[0], env, dirs...)
	if err != nil {
		return prepared{}, err
	}
	// What the command starts by name must be found as the command itself was.
	env = workspace.Reach(env, append([]string{path}, slices.Sorted(maps.Values(p.Ws.Tools))...), dirs...)
	scratch, cleanup, err := writeScratch(h.Box.Scratch(), cmd)
	if err != nil {
		return prepared{}, err
	}
	argv := []string{path}
	for _, a := range cmd.Argv[1:] {
		argv = append(argv, strings.ReplaceAll(a, sdk.Scratch, scratch))
	}
	dir := filepath.Join(p.Root.Path, filepath.FromSlash(cmd.Dir))
	// A program that asks for its directory by name should hear the one we mean.
	env = workspace.Setenv(env, "PWD", dir)
	for k, v := range cmd.Env {
		v = strings.ReplaceAll(v, sdk.Root, p.Root.Path)
		env = workspace.Setenv(env, k, strings.ReplaceAll(v, sdk.Scratch, scratch))
	}
	wrapped := h.Box.Wrap(runner.Config{Argv: argv, Dir: dir, Env: env, Deadline: time.Until(deadline)})
	return prepared{Config: wrapped, Scratch: scratch, Cleanup: cleanup}, nil
}

// SinkTo sends output to a parser. When the runner gives up on a parser that
// takes too long for what is left of a killed command, the stream is cancelled.
func SinkTo(stream *plugin.ParseStream) runner.Sink {
	return func(ctx context.Context, which sdk.Stream, data []byte) error {
		defer context.AfterFunc(ctx, stream.Cancel)()
		return stream.Send(which, data)
	}
}

// MaxTailLines is how much of the output's end stands in a reason: a screen's
// worth would bury the verdict.
const (
	MaxTailLines = 10
	MaxTailBytes = 2 << 10
)
