package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// probeLimit is how long a host waits for a probe.
	probeLimit = 10 * time.Second
	// maxProbeStderr is what is kept of a probe's standard error.
	maxProbeStderr = 4 << 10
)

// ProbeError reports a probe that could not be executed.
type ProbeError struct {
	Name string
	Argv []string
	Err  error
}

func (e *ProbeError) Error() string {
	return fmt.Sprintf("cannot execute the probe %q (%q): %v; Workspace.probes will lack it", e.Name, e.Argv, e.Err)
}

func (e *ProbeError) Unwrap() error { return e.Err }

// Probe executes a probe from a plugin's description like a host: in a workspace, in
// the user's own environment, without a shell, with a limit on time and output. The
// protocol requires that a probe executes no code of the project.
func Probe(ctx context.Context, probe sdk.Probe, ws sdk.Workspace) (sdk.ProbeOutput, error) {
	fail := func(err error) (sdk.ProbeOutput, error) {
		return sdk.ProbeOutput{}, &ProbeError{Name: probe.Name, Argv: probe.Argv, Err: err}
	}
	if len(probe.Argv) == 0 {
		return fail(exec.ErrNotFound)
	}
	path := ws.Tools[probe.Argv[0]]
	if path == "" {
		var err error
		if path, err = exec.LookPath(probe.Argv[0]); err != nil {
			return fail(err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	cmd := exec.CommandContext(limited, path, probe.Argv[1:]...)
	cmd.Dir, cmd.WaitDelay = ws.Root, pipeDelay
	cmd.Env = probeEnvironment(os.Environ(), probe, ws)
	ownGroup(cmd)
	stdout, stderr := &head{most: sdk.MaxProbe}, &head{most: maxProbeStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	_ = cmd.Wait() // how it ended is in ProcessState
	killGroup(cmd)
	if err := ctx.Err(); err != nil {
		return fail(context.Cause(ctx))
	}
	out := sdk.ProbeOutput{ExitCode: cmd.ProcessState.ExitCode(), Stderr: strings.TrimSpace(stderr.kept.String())}
	// Half an answer would be mistaken for a different answer.
	if stdout.more {
		out.ExitCode = -1
	} else {
		out.Stdout = stdout.kept.Bytes()
	}
	return out, nil
}

// FindTools looks up a plugin's programs like a host, on the PATH and in directories of
// the plugin's choice.
func FindTools(names, dirs []string) map[string]string {
	tools := map[string]string{}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			tools[name] = path
			continue
		}
		for _, dir := range dirs {
			if rest, ok := strings.CutPrefix(dir, "~/"); ok {
				dir = ""
				if home, err := os.UserHomeDir(); err == nil {
					dir = filepath.Join(home, filepath.FromSlash(rest))
				}
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); filepath.IsAbs(dir) && err == nil {
				tools[name] = path
				break
			}
		}
	}
	return tools
}

// probeEnvironment changes env as a probe requests.
func probeEnvironment(env []string, probe sdk.Probe, ws sdk.Workspace) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return isUnset(name, probe.UnsetEnv)
	})
	env = append(env, "PWD="+ws.Root)
	for name, value := range probe.Env {
		env = append(env, name+"="+strings.ReplaceAll(value, sdk.Root, ws.Root))
	}
	return env // among equal names the last one counts
}

// isUnset reports whether names removes a variable. A name that ends in * is a prefix,
// and a name after ! is kept regardless.
func isUnset(variable string, names []string) bool {
	same := func(a, b string) bool { return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b) }
	removed := false
	for _, name := range names {
		kept, isKept := strings.CutPrefix(name, "!")
		prefix, isPrefix := strings.CutSuffix(name, "*")
		switch {
		case isKept && same(variable, kept):
			return false
		case isPrefix:
			removed = removed || len(variable) >= len(prefix) && strings.EqualFold(variable[:len(prefix)], prefix)
		default:
			removed = removed || same(variable, name)
		}
	}
	return removed
}

// head keeps the beginning of a stream.
type head struct {
	kept bytes.Buffer // not embedded: its ReadFrom would read everything
	most int
	// more reports whether anything was left out.
	more bool
}

func (h *head) Write(data []byte) (int, error) {
	kept := data[:min(len(data), h.most-h.kept.Len())]
	h.more = h.more || len(kept) < len(data)
	_, _ = h.kept.Write(kept)
	return len(data), nil
}
