package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Prepared is a command ready to execute.
type Prepared struct {
	runner.Config
	// Scratch is its scratch directory; empty if it has none.
	Scratch string
	// Cleanup removes what was made for it.
	Cleanup func()
}

// Prepare makes a plugin's command ready to execute.
func (h *Host) Prepare(p Project, cmd sdk.Command, deadline time.Time) (Prepared, error) {
	env := h.Cfg.Env
	if p.changed {
		env = p.Environ
	}
	env = workspace.Unsetenv(env, cmd.UnsetEnv)
	if len(cmd.Argv) == 0 {
		return Prepared{}, fmt.Errorf("plugin %s composed a command without a program", p.ID.Name)
	}
	dirs := h.toolDirs(p.ID.ToolDirs)
	path, err := workspace.FindTool(cmd.Argv[0], env, dirs...)
	if err != nil {
		return Prepared{}, err
	}
	// The command's children must find programs by name as we found the command.
	env = workspace.ExtendPath(env, append([]string{path}, slices.Sorted(maps.Values(p.Ws.Tools))...), dirs...)
	scratch, cleanup, err := writeScratch(h.Box.Scratch(), cmd)
	if err != nil {
		return Prepared{}, err
	}
	argv := []string{path}
	for _, a := range cmd.Argv[1:] {
		argv = append(argv, strings.ReplaceAll(a, sdk.Scratch, scratch))
	}
	dir := filepath.Join(p.Root.Path, filepath.FromSlash(cmd.Dir))
	// Programs may take the name of their directory from PWD.
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
	return Prepared{Config: wrapped, Scratch: scratch, Cleanup: cleanup}, nil
}

// Limits bound a command; the zero value does not.
type Limits struct {
	Deadline time.Time
	// MaxData bounds the memory of the runner, in bytes.
	MaxData uint64
}

// ReadOutput executes a command apart from those that run tests, and sends what it prints
// to the parser that open starts. An error means that it did not run, or that the parser
// failed; how the command ended is for the caller to judge.
func (h *Host) ReadOutput(ctx context.Context, p Project, cmd sdk.Command, limits Limits, open func() (*plugin.ParseStream, error)) (runner.Result, error) {
	ready, err := h.Prepare(p, cmd, limits.Deadline)
	if err != nil {
		return runner.Result{}, err
	}
	defer ready.Cleanup()
	stream, err := open()
	if err != nil {
		return runner.Result{}, err
	}
	ready.MaxData, ready.Sink = limits.MaxData, SinkTo(stream)
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		stream.Cancel()
		return result, err
	}
	return result, stream.Close(result.Exit)
}

// SinkTo returns a sink that sends output to a parser. If the runner gives up on a
// parser that takes too long over the last output of a killed command, the stream is
// cancelled.
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

const (
	// scratchPattern names scratch directories among all temporary files.
	scratchPattern = "proctor-scratch-*"
	// scratchLock is locked in each while its command runs.
	scratchLock = ".lock"
)

// writeScratch creates the scratch directory of a command that has inputs or leaves
// coverage, in the directory parent. "" means the directory for temporary files, where
// it also removes the scratch directories that killed processes left.
func writeScratch(parent string, cmd sdk.Command) (string, func(), error) {
	if len(cmd.Inputs) == 0 && !cmd.Covers {
		return "", func() {}, nil
	}
	if parent == "" {
		sweepScratch(os.TempDir())
	}
	dir, cleanup, err := makeScratch(parent, cmd)
	for range scratchTries {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir, cleanup, err = makeScratch(parent, cmd)
	}
	if err != nil {
		return "", nil, fmt.Errorf("scratch directory of a command: %w", err)
	}
	return dir, cleanup, nil
}

// scratchTries is how often to create a directory again if it is swept meanwhile.
const scratchTries = 10

// makeScratch is one attempt of [writeScratch]. [fs.ErrNotExist] means that somebody
// swept the directory before it was locked, or that there is no parent.
func makeScratch(parent string, cmd sdk.Command) (string, func(), error) {
	dir, err := os.MkdirTemp(parent, scratchPattern)
	if err != nil {
		return "", nil, err
	}
	held := flock.New(filepath.Join(dir, scratchLock))
	cleanup := func() {
		held.Close()
		os.RemoveAll(dir)
	}
	free, err := held.TryLock()
	if err == nil && !free {
		err = fs.ErrNotExist // its holder is about to remove it
	}
	if err == nil {
		err = isHeld(held)
	}
	for _, in := range cmd.Inputs {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(in.Name)), in.Data, 0o600)
		}
	}
	if err != nil {
		cleanup()
		return "", nil, err
	}
	return dir, cleanup, nil
}

// isHeld returns an error unless what was locked still exists: it may have been swept
// before it was locked.
func isHeld(held *flock.Flock) error {
	locked, err := held.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(held.Path())
	if err == nil && !os.SameFile(locked, there) {
		err = fs.ErrNotExist
	}
	return err
}

// sweepScratch removes scratch directories that nobody holds. One without a lock is
// about to get it, or belongs to another user.
func sweepScratch(temp string) {
	dirs, err := filepath.Glob(filepath.Join(temp, scratchPattern))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, scratchLock)
		if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
			continue
		}
		left := flock.New(path)
		if free, err := left.TryLock(); err == nil && free {
			os.RemoveAll(dir) // held, so that a process that is just making it notices
		}
		left.Close()
	}
}
