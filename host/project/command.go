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

// prepared is a command ready to execute.
type prepared struct {
	runner.Config
	// Scratch is its scratch directory; empty if it has none.
	Scratch string
	// Cleanup removes what was made for it.
	Cleanup func()
}

// Prepare makes a plugin's command ready to execute.
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
	// The command's children must find programs by name as we found the command.
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
	// A program that asks for its directory by name should get the one we mean.
	env = workspace.Setenv(env, "PWD", dir)
	for k, v := range cmd.Env {
		v = strings.ReplaceAll(v, sdk.Root, p.Root.Path)
		env = workspace.Setenv(env, k, strings.ReplaceAll(v, sdk.Scratch, scratch))
	}
	cfg := runner.Config{Argv: argv, Dir: dir, Env: env}
	if !deadline.IsZero() {
		cfg.Deadline = time.Until(deadline)
	}
	wrapped := h.Box.Wrap(cfg)
	return prepared{Config: wrapped, Scratch: scratch, Cleanup: cleanup}, nil
}

// SinkTo sends output to a parser. If the runner gives up on a parser that takes too
// long for the rest of a killed command, it cancels the stream.
func SinkTo(stream *plugin.ParseStream) runner.Sink {
	return func(ctx context.Context, which sdk.Stream, data []byte) error {
		defer context.AfterFunc(ctx, stream.Cancel)()
		return stream.Send(which, data)
	}
}

// MaxTailLines is how much of the output's end a reason quotes: a screenful would bury
// the verdict.
const (
	MaxTailLines = 10
	MaxTailBytes = 2 << 10
)
