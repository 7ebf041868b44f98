package forgetest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/testfiles"
)

// Config is a foundry.toml that finds the compiler and asks for nothing else.
const Config = "[profile.default]\nsolc = \"" + Solc + "\"\noffline = true\n"

// runLimit ends a forge that hangs; the slowest compile takes some seconds.
const runLimit = 3 * time.Minute

// Project writes files, by slash-separated paths, to a temporary directory and returns
// it. Config is the default foundry.toml.
func Project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := tempDir(t)
	all := map[string]string{"foundry.toml": Config}
	maps.Copy(all, files)
	for name, text := range all {
		Write(t, root, name, text)
	}
	return root
}

// Copy copies the project at dir, without build output, to a temporary directory and
// returns that.
func Copy(t testing.TB, dir string) string {
	t.Helper()
	root := tempDir(t)
	if err := os.CopyFS(root, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, built := range []string{"out", "cache", ".proctor"} {
		if err := os.RemoveAll(filepath.Join(root, built)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Write adds a file to a project.
func Write(t testing.TB, root, name, text string) {
	t.Helper()
	testfiles.Write(t, filepath.Join(root, filepath.FromSlash(name)), text)
}

// Result is how a command ended.
type Result struct {
	Stdout, Stderr []byte
	// Code is the exit code, or -1 if a signal ended the command.
	Code int
}

// Run runs forge in the project. env follows Environment, and so wins.
func Run(t testing.TB, root string, env []string, args ...string) Result {
	t.Helper()
	bin, _ := Tools(t)
	ctx, cancel := context.WithTimeout(t.Context(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "forge"), args...)
	cmd.Dir = root
	cmd.Env = slices.Concat(Environment(t), []string{"PWD=" + root}, env)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("forge %s: %v", strings.Join(args, " "), errors.Join(err, ctx.Err()))
	}
	return Result{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Code: cmd.ProcessState.ExitCode()}
}

// tempDir returns a temporary directory by its real path, as forge prints it.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
