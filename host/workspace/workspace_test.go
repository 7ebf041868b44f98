package workspace

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// tree creates files below a new directory whose path has no symbolic links.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestTheNearestMarkerUpwardsIsTheRoot(t *testing.T) {
	dir := tree(t, "outer.toml", "a/inner.mod", "a/b/c/file")
	markers := []string{"inner.mod", "outer.toml"}
	for start, want := range map[string]string{".": ".", "a": "a", "a/b/c": "a"} {
		root, err := FindRoot(filepath.Join(dir, start), false, markers)
		if err != nil || root.Path != filepath.Join(dir, want) || root.Start != filepath.Join(dir, start) {
			t.Errorf("from %s: %+v, %v; want %s", start, root, err, want)
		}
	}
}

func TestAnExactWorkspaceIsNotLookedForUpwards(t *testing.T) {
	dir := tree(t, "inner.mod", "a/file")
	_, err := FindRoot(filepath.Join(dir, "a"), true, []string{"inner.mod"})
	if none, ok := errors.AsType[*api.NoProjectError](err); !ok || len(none.Looked) != 1 {
		t.Errorf("err = %v, want a NoProjectError about one directory", err)
	}
}

func TestAMissingProjectIsReportedWithTheSearch(t *testing.T) {
	dir := tree(t, "a/file")
	_, err := FindRoot(filepath.Join(dir, "a"), true, []string{"inner.mod"})
	want := "no supported project detected in workspace root: " + filepath.Join(dir, "a") + " has none of inner.mod"
	if err == nil || err.Error() != want || api.AdviceOf(err).Operation != api.AdviseProject {
		t.Errorf("named: %v", err)
	}
	_, err = FindRoot(filepath.Join(dir, "a"), false, []string{"inner.mod"})
	if err == nil || err.Error() != want+", nor has a directory above it" || api.AdviceOf(err).Operation != api.AdviseDirectory {
		t.Errorf("not named: %v", err)
	}
}

// A stray marker in the home directory must not make all of it one project, even if the
// home directory is given as a link.
func TestTheHomeDirectoryIsNoWorkspaceAlsoByALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the home directory is not $HOME here")
	}
	dir := tree(t, "home/inner.mod", "home/notes/file")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "home"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, home := range []string{filepath.Join(dir, "home"), link, link + "/"} {
		t.Setenv("HOME", home)
		if root, err := FindRoot(filepath.Join(link, "notes"), false, []string{"inner.mod"}); err == nil {
			t.Errorf("with the home %s, %s is the workspace", home, root.Path)
		}
		if _, err := FindRoot(link, false, []string{"inner.mod"}); err != nil {
			t.Errorf("standing in %s: %v", home, err)
		}
	}
}

func TestVariablesAreFoundAsThePlatformNamesThem(t *testing.T) {
	env := []string{"A=1", "Path=x", "A=2", "=C:=ignored", "odd"}
	if got := Getenv(env, "A"); got != "2" {
		t.Errorf("A is %q; the last one counts", got)
	}
	want := map[string]string{"A": "2"}
	if runtime.GOOS == "windows" {
		want["PATH"] = "x"
	}
	if got := Getenv(env, "PATH"); got != want["PATH"] {
		t.Errorf("PATH is %q", got)
	}
	if got := Pick(env, []string{"A", "PATH", "odd"}); !maps.Equal(got, want) {
		t.Errorf("Pick = %v, want %v", got, want)
	}
}

func TestADirectoryNamedLikeAMarkerIsNotOne(t *testing.T) {
	dir := tree(t, "inner.mod/file")
	if hasMarker(dir, []string{"inner.mod"}) {
		t.Error("a directory counts as a marker")
	}
}

func TestSymbolicLinksOfTheWorkspaceAreResolved(t *testing.T) {
	dir := tree(t, "real/inner.mod")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "real"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	root, err := FindRoot(link, false, []string{"inner.mod"})
	if err != nil || root.Path != filepath.Join(dir, "real") {
		t.Errorf("root = %+v, %v", root, err)
	}
}

func TestAWorkspaceThatIsNotADirectoryIsAnError(t *testing.T) {
	dir := tree(t, "file")
	for _, start := range []string{filepath.Join(dir, "file"), filepath.Join(dir, "missing")} {
		_, err := FindRoot(start, false, nil)
		if _, ok := errors.AsType[*api.DirectoryError](err); !ok {
			t.Errorf("%s: %v, want a DirectoryError", start, err)
		}
	}
}

func TestRebase(t *testing.T) {
	root := Root{Path: filepath.FromSlash("/w"), Start: filepath.FromSlash("/w/a/b")}
	got, err := root.Rebase([]string{".", "./...", "./c", "..", "../x/...", "example.com/m", "...", "a/b"})
	want := []string{"./a/b", "./a/b/...", "./a/b/c", "./a", "./a/x/...", "example.com/m", "...", "a/b"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Rebase = %q, %v; want %q", got, err, want)
	}
	if got, err := root.Rebase([]string{"../.."}); err != nil || got[0] != "." {
		t.Errorf("the root itself: %q, %v", got, err)
	}
	if _, err := root.Rebase([]string{"../../.."}); err == nil {
		t.Error("a pattern outside of the workspace is accepted")
	}
}

func TestToolsAreFoundOnPathAndWhereTheyUsuallyAre(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the files have no extension that Windows would execute")
	}
	dir := tree(t, "first/tool", "second/tool", "home/.foundry/bin/forge")
	env := []string{"PATH=" + filepath.Join(dir, "first") + ":" + filepath.Join(dir, "second"), "HOME=" + filepath.Join(dir, "home")}
	for name, want := range map[string]string{"tool": "first/tool", "forge": "home/.foundry/bin/forge"} {
		if got, err := FindTool(name, env, "~/.foundry/bin"); err != nil || got != filepath.Join(dir, want) {
			t.Errorf("FindTool(%s) = %s, %v; want %s", name, got, err, want)
		}
	}
}

// A workspace must not be able to supply its own go.
func TestRelativeEntriesOfPathArePassedOver(t *testing.T) {
	dir := tree(t, "tool", "sub/tool")
	t.Chdir(dir)
	for _, path := range []string{".", "", "sub", ":", "./sub:."} {
		_, err := FindTool("tool", []string{"PATH=" + path})
		if err == nil || !strings.HasPrefix(err.Error(), "tool was not found") {
			t.Errorf("PATH=%q: %v", path, err)
		}
	}
	if _, err := FindTool("sub/tool", nil); err == nil {
		t.Error("a relative path is accepted as a program")
	}
}

func TestTheErrorForAMissingToolIsShort(t *testing.T) {
	_, err := FindTool("no-such-tool", []string{"PATH=" + filepath.FromSlash("/x/y")})
	if err == nil || !strings.HasPrefix(err.Error(), "no-such-tool was not found; install it") || strings.Contains(err.Error(), filepath.FromSlash("/x/y")) {
		t.Errorf("err = %v", err)
	}
}

func TestGetenvAndPick(t *testing.T) {
	env := []string{"A=1", "B=x=y", "A=2", "broken"}
	if got := Getenv(env, "A"); got != "2" {
		t.Errorf("Getenv = %q, want the last setting", got)
	}
	got := Pick(env, []string{"A", "B", "C"})
	if len(got) != 2 || got["A"] != "2" || got["B"] != "x=y" {
		t.Errorf("Pick = %v", got)
	}
}
