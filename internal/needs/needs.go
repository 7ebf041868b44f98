package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Program returns the path of a program.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "there is no "+name+" in PATH: install it")
	}
	return path
}

// Installed returns the directory, below .cache of the repository, of what a target of the
// Makefile installs.
func Installed(t testing.TB, target string) string {
	t.Helper()
	dir := filepath.Join(repository(t), ".cache", target)
	if stamps, err := filepath.Glob(filepath.Join(dir, "stamp-*")); err != nil || len(stamps) == 0 {
		Missing(t, dir+" is not installed: run `make "+target+"` (it needs npm)")
	}
	return dir
}

// repository returns the directory of go.mod: a test runs in the directory of its package.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("there is no go.mod above the directory of the test")
		}
		dir = parent
	}
}

// WholeSuite skips a test that drives third-party programs, such as forge, Chromium and those
// on Node.js, plays a whole agent, makes a release, or compiles the standard library: only
// `make test` runs it, which installs what is missing. They take a quarter of the whole
// suite's CPU.
func WholeSuite(t testing.TB) {
	t.Helper()
	if !IsWhole() {
		t.Skip("NOT TESTED: only `make test` runs it, or PROCTOR_TEST=whole")
	}
}

// IsWhole reports whether this is the whole suite.
func IsWhole() bool { return os.Getenv("PROCTOR_TEST") == "whole" || inCI() }

// Missing ends a test for a reason that says what to do.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if inCI() {
		t.Fatal(reason)
	}
	t.Skip("NOT TESTED: " + reason)
}

func inCI() bool {
	ci := os.Getenv("CI")
	return strings.EqualFold(ci, "true") || ci == "1"
}
