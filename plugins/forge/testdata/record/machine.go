//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
)

// newest is the version that .ci/install-forge installs without arguments.
const newest = "1.7.1"

// machine knows where the tools are; their paths must not get into a recording.
type machine struct {
	tools string
}

func (m machine) record(ctx context.Context, c corpus.Case) error {
	root, err := recorded.NewRoot()
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	if err := c.Extract(root); err != nil {
		return err
	}
	for _, argv := range c.Meta.Prepare {
		// It may fail: some cases need a failing run before.
		_ = m.command(ctx, c.Meta, root, argv).Run()
	}
	version, err := m.command(ctx, corpus.Meta{Forge: c.Meta.Forge}, root, []string{"forge", "--version"}).Output()
	if err != nil {
		return fmt.Errorf("forge --version: %w", err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	c.Meta.Version = first
	end, err := run(ctx, m.command(ctx, c.Meta, root, c.Meta.Argv), c.Meta.Stop)
	if err != nil {
		return err
	}
	c.Meta.ExitCode, c.Meta.Signal = end.code, end.signal
	stdout, stderr := m.anonymous(end.stdout, root), m.anonymous(end.stderr, root)
	for _, data := range [][]byte{stdout, stderr} {
		for _, secret := range []string{filepath.Base(root), m.tools} {
			if bytes.Contains(data, []byte(secret)) {
				return fmt.Errorf("the recording still holds %q", secret)
			}
		}
	}
	for _, e := range c.Meta.Edits {
		if e.ExitCode != nil {
			c.Meta.ExitCode, c.Meta.Signal = *e.ExitCode, ""
			continue
		}
		stream := &stdout
		if e.Stream == "stderr" {
			stream = &stderr
		}
		if *stream, err = edit(*stream, e); err != nil {
			return err
		}
	}
	return c.Save(stdout, stderr)
}

// command runs with little of the caller's environment: a recording must not
// depend on it.
func (m machine) command(ctx context.Context, meta corpus.Meta, root string, argv []string) *exec.Cmd {
	bin := filepath.Join(m.tools, "bin")
	if meta.Forge != newest {
		bin = filepath.Join(m.tools, "forge-"+meta.Forge, "bin")
	}
	program := argv[0]
	if program == "forge" {
		program = filepath.Join(bin, "forge")
	}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Dir = filepath.Join(root, filepath.FromSlash(meta.Dir))
	env := map[string]string{
		"PATH": bin + ":" + os.Getenv("PATH"), "HOME": filepath.Join(m.tools, "home"), "TMPDIR": "/tmp",
		"PWD": cmd.Dir, "LC_ALL": "C", "NO_COLOR": "1",
	}
	for k, v := range meta.Env {
		env[k] = v
	}
	for k, v := range env {
		// An empty value unsets a variable: NO_COLOR counts even if it is empty.
		if v != "" {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	slices.Sort(cmd.Env)
	return cmd
}

// anonymous replaces paths of this machine.
func (m machine) anonymous(data []byte, root string) []byte {
	for _, r := range [][2]string{
		{root, recorded.RootPlaceholder},
		{filepath.Join(m.tools, "home"), corpus.HomePlaceholder},
		{m.tools, "/usr/local/forge"},
	} {
		data = bytes.ReplaceAll(data, []byte(r[0]), []byte(r[1]))
	}
	return data
}
