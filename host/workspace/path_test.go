package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// splitPath returns the directories in PATH.
func splitPath(env []string) []string { return filepath.SplitList(Getenv(env, "PATH")) }

func TestAToolOnPathLeavesPathUnchanged(t *testing.T) {
	dir := tree(t, "bin/tool", "home/.x/bin/other")
	bin := filepath.Join(dir, "bin")
	for _, path := range []string{bin, bin + string(filepath.Separator), "sub" + string(filepath.ListSeparator) + bin} {
		env := []string{"A=1", "PATH=" + path, "HOME=" + filepath.Join(dir, "home")}
		if got := ExtendPath(env, []string{filepath.Join(bin, "tool")}, "~/.x/bin"); !slices.Equal(got, env) {
			t.Errorf("ExtendPath = %q, want %q", got, env)
		}
	}
}

// A runner or test that starts a tool by name finds the one we found.
func TestAToolOutsideOfPathIsReachedByWhatItsCommandStarts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the files have no extension that Windows would execute")
	}
	dir := tree(t, "short/sh", "home/.x/bin/tool", "home/.y/bin/other", "home/.local/bin/third", "odd:name/tool")
	env := []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Join(dir, "short")}
	tool, err := FindTool("tool", env, "~/.x/bin")
	if err != nil {
		t.Fatal(err)
	}
	got := ExtendPath(env, []string{tool, filepath.Join(dir, "odd:name/tool")}, "~/.x/bin", "~/.y/bin", "~/.gone/bin", "relative")
	path := splitPath(got)
	want := []string{filepath.Join(dir, "short"), filepath.Join(dir, "home/.x/bin"), filepath.Join(dir, "home/.y/bin")}
	if len(path) < len(want) || !slices.Equal(path[:len(want)], want) {
		t.Errorf("PATH is %q, want it to begin with %q", path, want)
	}
	if !slices.Contains(path, filepath.Join(dir, "home/.local/bin")) {
		t.Errorf("PATH is %q, without the usual directories", path)
	}
	for _, wrong := range []string{filepath.Join(dir, "home/.gone/bin"), "relative", filepath.Join(dir, "odd"), "name"} {
		if slices.Contains(path, wrong) {
			t.Errorf("PATH is %q, with %q in it", path, wrong)
		}
	}
	for i, one := range path {
		if slices.Contains(path[:i], one) {
			t.Errorf("%s is twice in %q", one, path)
		}
	}
	for _, name := range []string{"other", "third"} {
		if _, err := FindTool(name, []string{"PATH=" + strings.Join(path, ":")}); err != nil {
			t.Error(err)
		}
	}
}

func TestWithoutAnyPathTheProgramsOfTheSystemAreFound(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("where they are is in PATH alone")
	}
	sh, err := FindTool("sh", nil)
	if err != nil {
		t.Fatal(err)
	}
	if path := splitPath(ExtendPath(nil, []string{sh})); !slices.Contains(path, filepath.Dir(sh)) || slices.Contains(path, "") {
		t.Errorf("PATH is %q", path)
	}
}

func TestADirectoryMayBeNamedWithoutADot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a": "./a", "a/b": "./a/b", "a/...": "./a/...", "./a": "./a", "": "", "...": "...", "/a": "/a", "-a": "-a",
		"c": "c", "example.com/a": "example.com/a", "a/b:12": "./a/b:12", "a/b:12:3": "./a/b:12:3", "c:12": "c:12",
	} {
		if got, found := FindDirectory(dir, name); got != want || found != (got != name) {
			t.Errorf("%q: %q, %v; want %q", name, got, found, want)
		}
	}
}
