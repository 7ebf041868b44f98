package lock

import (
	"os"
	"path/filepath"
	"testing"
)

// project creates directories a/b/c and returns the real path of the outermost.
func project(t *testing.T) (root, inner string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner = filepath.Join(root, "a", "b", "c")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	return root, inner
}

func found(t *testing.T, dir, want string) {
	t.Helper()
	if got, err := Find(dir); err != nil || got != want {
		t.Errorf("in %s: %q, %v; not %q", dir, got, err, want)
	}
}

func TestTheNearestLockFileUpToTheRepositoryCounts(t *testing.T) {
	root, inner := project(t)
	outside := put(t, root, ProjectFile, text)
	found(t, inner, outside)
	repository := filepath.Join(root, "a")
	if err := os.Mkdir(filepath.Join(repository, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	found(t, inner, "")
	found(t, root, outside)
	own := put(t, repository, ProjectFile, text)
	found(t, inner, own)
	nearer := put(t, filepath.Join(repository, "b"), ProjectFile, text)
	found(t, inner, nearer)
	found(t, repository, own)
	link := filepath.Join(root, "link")
	if err := os.Symlink(inner, link); err == nil {
		found(t, link, nearer)
	}
}

func TestAWorktreeEndsTheSearchToo(t *testing.T) {
	root, inner := project(t)
	put(t, root, ProjectFile, text)
	put(t, filepath.Join(root, "a"), ".git", "gitdir: /elsewhere")
	found(t, inner, "")
}

func TestALockFileThatIsNotAFileIsAnError(t *testing.T) {
	root, inner := project(t)
	path := filepath.Join(root, "a", ProjectFile)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(inner); err == nil {
		t.Errorf("a directory was found: %q", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "nothing"), path); err != nil {
		t.Skip("no links here:", err)
	}
	if got, err := Find(inner); err == nil {
		t.Errorf("a link was found: %q", got)
	}
	if _, err := Find(filepath.Join(root, "missing")); err == nil {
		t.Error("a directory that is not there was searched")
	}
}

func TestANewLockFileIsCreatedWhereItIsSearched(t *testing.T) {
	root, inner := project(t)
	repository := filepath.Join(root, "a")
	places := map[string]string{inner: inner, repository: repository}
	check := func() {
		t.Helper()
		for dir, want := range places {
			if got, err := Place(dir); err != nil || got != filepath.Join(want, ProjectFile) {
				t.Errorf("in %s: %s, %v; not in %s", dir, got, err, want)
			}
		}
	}
	check()
	put(t, repository, ".git", "gitdir: /elsewhere")
	places[inner] = repository
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(inner, link); err == nil {
		places[link] = repository
	}
	check()
	// Lock files above the project do not count.
	put(t, root, ProjectFile, text)
	check()
	if _, err := Place(filepath.Join(root, "missing")); err == nil {
		t.Error("a directory that is not there was searched")
	}
}
