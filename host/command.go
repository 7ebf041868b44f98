package host

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// prepared is a command that can be executed.
type prepared struct {
	runner.Config
	// scratch is its scratch directory; empty where it has none.
	scratch string
	// cleanup removes what was made for it.
	cleanup func()
}

// prepare turns a plugin's command into one that can be executed.
func (h *base) prepare(p project, cmd sdk.Command, deadline time.Time) (prepared, error) {
	env := h.cfg.Env
	if p.changed {
		env = p.environ
	}
	env = workspace.Unsetenv(env, cmd.UnsetEnv)
	if len(cmd.Argv) == 0 {
		return prepared{}, fmt.Errorf("plugin %s composed a command without a program", p.id.Name)
	}
	dirs := h.toolDirs(p.id.ToolDirs)
	path, err := workspace.FindTool(cmd.Argv[0], env, dirs...)
	if err != nil {
		return prepared{}, err
	}
	// What the command starts by name must be found as the command itself was.
	env = workspace.Reach(env, append([]string{path}, slices.Sorted(maps.Values(p.ws.Tools))...), dirs...)
	scratch, cleanup, err := writeScratch(h.box.Scratch(), cmd)
	if err != nil {
		return prepared{}, err
	}
	argv := []string{path}
	for _, a := range cmd.Argv[1:] {
		argv = append(argv, strings.ReplaceAll(a, sdk.Scratch, scratch))
	}
	dir := filepath.Join(p.root.Path, filepath.FromSlash(cmd.Dir))
	// A program that asks for its directory by name should hear the one we mean.
	env = workspace.Setenv(env, "PWD", dir)
	for k, v := range cmd.Env {
		v = strings.ReplaceAll(v, sdk.Root, p.root.Path)
		env = workspace.Setenv(env, k, strings.ReplaceAll(v, sdk.Scratch, scratch))
	}
	wrapped := h.box.Wrap(runner.Config{Argv: argv, Dir: dir, Env: env, Deadline: time.Until(deadline)})
	return prepared{Config: wrapped, scratch: scratch, cleanup: cleanup}, nil
}
