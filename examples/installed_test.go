package examples_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/testbin"
)

const (
	// deadline is how long one command of these tests may take. The longest are npm on a
	// slow connection and a compiler with an empty cache.
	deadline = 3 * time.Minute
	// outputDelay is how long to wait for the end of a command's output after its end or
	// its deadline: something that it started may hold the output open.
	outputDelay = 5 * time.Second
)

// installed is an example plugin that was packed, and installed by a user with no other
// plugins.
type installed struct {
	proctor string
	// source is the plugin's repository, binary the program that was built there.
	source, binary string
	env            []string
}

// run has the fields of a Run object that these tests read.
type run struct {
	Verdict  string `json:"verdict"`
	Commands []struct {
		Argv []string `json:"argv"`
	} `json:"commands"`
	Counts struct {
		Passed int `json:"passed"`
		Failed int `json:"failed"`
	} `json:"counts"`
	Failures []failure `json:"failures"`
}

type failure struct {
	Suite   string `json:"suite"`
	Test    string `json:"test"`
	Kind    string `json:"kind"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	Diff    struct {
		Got  string `json:"got"`
		Want string `json:"want"`
	} `json:"diff"`
}

// newUser returns a user with a copy of proctor and the machine's environment, except
// variables with these prefixes.
func newUser(t *testing.T, without ...string) *installed {
	t.Helper()
	home := t.TempDir()
	p := &installed{proctor: filepath.Join(home, "bin", executableName("proctor"))}
	p.env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return slices.ContainsFunc(append(without, "PROCTOR", "XDG_"), func(word string) bool { return strings.HasPrefix(entry, word) })
	})
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		p.env = append(p.env, "XDG_"+name+"_HOME="+filepath.Join(home, strings.ToLower(name)))
	}
	p.env = append(append(p.env, testbin.GoEnv()...), "GOFLAGS="+testbin.GoFlags())
	program, err := os.ReadFile(testbin.Path("proctor"))
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Dir(p.proctor), 0o755), os.WriteFile(p.proctor, program, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func executableName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// install packs the binary for a platform, and installs it from there.
func (p *installed) install(t *testing.T, name, platform string) {
	t.Helper()
	tree := filepath.Join(t.TempDir(), "published")
	p.command(t, p.source, p.proctor, "plugin", "pack", "--bin", platform+"="+p.binary, "--out", tree)
	index := "file://" + filepath.ToSlash(filepath.Join(tree, "index.json"))
	p.command(t, tree, p.proctor, "plugin", "install", "--user", index+"#"+name)
}

// passesCheck checks the binary with the conformance kit; every point must be checked.
func (p *installed) passesCheck(t *testing.T, cases, workspace string) {
	t.Helper()
	p.command(t, p.source, p.proctor, "plugin", "check", p.binary, "--manifest", "manifest.json", "--cases", cases, "-C", workspace)
}

// run runs proctor in a project, and returns the Run object if the exit code is code.
func (p *installed) run(t *testing.T, dir string, code int, args ...string) run {
	t.Helper()
	out, stderr, got := p.execute(t, dir, p.proctor, append(args, "--json")...)
	var r run
	if err := json.Unmarshal(out, &r); err != nil || got != code {
		t.Fatalf("proctor %s: exit code %d, want %d (%v)\n%s%s", args[0], got, code, err, out, stderr)
	}
	return r
}

// command runs a program, which must succeed.
func (p *installed) command(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	if out, stderr, code := p.execute(t, dir, program, args...); code != 0 {
		t.Fatalf("%s %s: exit code %d\n%s%s", program, strings.Join(args, " "), code, out, stderr)
	}
}

func (p *installed) execute(t *testing.T, dir, program string, args ...string) (stdout, stderr []byte, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), deadline, fmt.Errorf("the program did not end within %v", deadline))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, p.env, outputDelay
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s %q: %v (%v)\n%s%s", program, args, err, context.Cause(ctx), out.Bytes(), errs.Bytes())
	}
	return out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode()
}

func editFile(t *testing.T, path, from, to string) {
	t.Helper()
	text := string(readFile(t, path))
	if !strings.Contains(text, from) {
		t.Fatalf("%s has no %q", path, from)
	}
	writeFile(t, path, strings.Replace(text, from, to, 1))
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
