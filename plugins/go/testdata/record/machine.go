//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
)

// machine holds the paths that must not get into a recording.
type machine struct {
	goroot, modCache, goCache, home string
}

func readMachine(ctx context.Context) (machine, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		return machine{}, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 {
		return machine{}, fmt.Errorf("go env printed %q", out)
	}
	home, err := os.UserHomeDir()
	return machine{goroot: lines[0], modCache: lines[1], goCache: lines[2], home: home}, err
}

func (m machine) record(ctx context.Context, c corpus.Case) error {
	root, err := recorded.NewRoot()
	if err != nil {
		return err
	}
	scratch := scratchOf(root)
	defer os.RemoveAll(root)
	defer os.RemoveAll(scratch)
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return err
	}
	if err := c.Extract(root); err != nil {
		return err
	}
	for _, argv := range c.Meta.Prepare {
		cmd := m.command(ctx, c.Meta, root, argv)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%q: %w\n%s", argv, err, out)
		}
	}
	version, err := m.command(ctx, c.Meta, root, []string{"go", "env", "GOVERSION"}).Output()
	if err != nil {
		return fmt.Errorf("go env GOVERSION: %w", err)
	}
	c.Meta.GoVersion = strings.TrimSpace(string(version))
	end, err := run(ctx, m.command(ctx, c.Meta, root, c.Meta.Argv), c.Meta.Stop)
	if err != nil {
		return err
	}
	c.Meta.ExitCode, c.Meta.Signal = end.code, end.signal
	if s := c.Meta.Stop; s != nil {
		c.Meta.TimedOut, c.Meta.Cancelled = s.Deadline, s.Cancel
	}
	stdout, stderr := m.anonymous(end.stdout, root), m.anonymous(end.stderr, root)
	for _, data := range [][]byte{stdout, stderr} {
		for _, secret := range []string{filepath.Base(root), m.home + "/", m.modCache, m.goCache} {
			if bytes.Contains(data, []byte(secret)) {
				return fmt.Errorf("the recording still holds %q", secret)
			}
		}
	}
	stdout, err = edit(stdout, c.Meta.Edit)
	if err != nil {
		return err
	}
	if e := c.Meta.Edit; e != nil {
		c.Meta.Unknown = e.UnknownExit
		if e.ExitCode != 0 {
			c.Meta.ExitCode = e.ExitCode
		}
	}
	return c.Save(stdout, stderr)
}

// command runs with little of the caller's environment: a recording must not
// depend on it.
func (m machine) command(ctx context.Context, meta corpus.Meta, root string, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(meta.Dir))
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "TMPDIR=" + scratchOf(root), "PWD=" + cmd.Dir, "LC_ALL=C",
		"GOTOOLCHAIN=" + meta.Go, "GOCACHE=" + m.goCache, "GOMODCACHE=" + m.modCache, "GOENV=off",
		"GOFLAGS=-buildvcs=false",
	}
	for _, name := range []string{"GOPROXY", "GONOSUMDB", "GOSUMDB", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for k, v := range meta.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// scratchOf returns the temporary directory of a case. Its path begins with that of
// the root, so the same placeholder covers it.
func scratchOf(root string) string { return root + "-tmp" }

// anonymous replaces paths of this machine. A toolchain that the go command
// fetched is in the module cache.
func (m machine) anonymous(data []byte, root string) []byte {
	for _, r := range [][2]string{
		{root, recorded.RootPlaceholder},
		{m.modCache, corpus.ModCachePlaceholder},
		{m.goroot, corpus.GorootPlaceholder},
		{m.goCache, "/gocache"},
		{m.home + "/", "/home/dev/"},
	} {
		data = bytes.ReplaceAll(data, []byte(r[0]), []byte(r[1]))
	}
	return data
}
