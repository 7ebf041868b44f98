//go:build unix

package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
)

// install writes an executable file.
func install(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, path, "#!/bin/sh\n")
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func find(t *testing.T, config FinderConfig) Found {
	t.Helper()
	found, err := NewFinder(config).Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFindTakesBinariesBesideProctorOnly(t *testing.T) {
	root := realTempDir(t)
	proctor := install(t, filepath.Join(root, "bin", "proctor"), 0o755)
	forge := install(t, filepath.Join(root, "bin", "proctor-plugin-forge"), 0o755)
	golang := install(t, filepath.Join(root, "bin", "proctor-plugin-go"), 0o755)
	for _, other := range []string{"plugin-x", "proctor-plugin-", "proctor-plugin-Go", "proctor-plugin-1", "proctor-plugin-a_b", "proctor-plugin-go.old",
		"proctor-plugin-" + strings.Repeat("a", 33)} {
		install(t, filepath.Join(root, "bin", other), 0o755)
	}
	// A hostile repository in which proctor runs, also by way of $PATH.
	cwd := filepath.Join(root, "cwd")
	install(t, filepath.Join(cwd, "proctor-plugin-evil"), 0o755)
	t.Chdir(cwd)
	t.Setenv("PATH", cwd)

	found := find(t, FinderConfig{Executable: proctor})
	want := []Candidate{{Name: "forge", Path: forge, Beside: true}, {Name: "go", Path: golang, Beside: true}}
	if diff := cmp.Diff(want, found.Candidates); diff != "" || len(found.Refused) != 0 {
		t.Error(diff, found.Refused)
	}
}

func TestFindFollowsALinkToProctor(t *testing.T) {
	root := realTempDir(t)
	proctor := install(t, filepath.Join(root, "opt", "proctor"), 0o755)
	installed := install(t, filepath.Join(root, "opt", "proctor-plugin-go"), 0o755)
	link := filepath.Join(root, "bin", "proctor")
	extra := install(t, filepath.Join(root, "bin", "proctor-plugin-tap"), 0o755)
	install(t, filepath.Join(root, "bin", "proctor-plugin-go"), 0o755)
	if err := os.Symlink(proctor, link); err != nil {
		t.Fatal(err)
	}
	found := find(t, FinderConfig{Executable: link})
	want := []Candidate{{Name: "go", Path: installed, Beside: true}, {Name: "tap", Path: extra, Beside: true}}
	if diff := cmp.Diff(want, found.Candidates); diff != "" {
		t.Error(diff)
	}
}

func TestOverrideReplacesWhatIsBesideProctor(t *testing.T) {
	root := realTempDir(t)
	proctor := install(t, filepath.Join(root, "proctor"), 0o755)
	install(t, filepath.Join(root, "proctor-plugin-go"), 0o755)
	mine := install(t, filepath.Join(root, "dev", "my-go-plugin"), 0o777) // open to all, but named by the user
	found := find(t, FinderConfig{Executable: proctor, Overrides: map[string]string{"go": mine}})
	want := []Candidate{{Name: "go", Path: mine, Override: true}}
	if diff := cmp.Diff(want, found.Candidates); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedOverrideDoesNotFallBack(t *testing.T) {
	root := realTempDir(t)
	proctor := install(t, filepath.Join(root, "proctor"), 0o755)
	install(t, filepath.Join(root, "proctor-plugin-go"), 0o755)
	plain := install(t, filepath.Join(root, "dev", "plain"), 0o644)
	for name, c := range map[string]struct{ plugin, path, reason string }{
		"missing":        {"go", filepath.Join(root, "nowhere"), "no such file"},
		"relative":       {"go", "proctor-plugin-go", "not absolute"},
		"directory":      {"go", root, "directory"},
		"not executable": {"go", plain, "chmod +x"},
		"bad name":       {"Go!", plain, "lower-case letter"},
	} {
		t.Run(name, func(t *testing.T) {
			found := find(t, FinderConfig{Executable: proctor, Overrides: map[string]string{c.plugin: c.path}})
			_, err := found.Lookup(c.plugin)
			if _, ok := errors.AsType[*NotFoundError](err); !ok || !strings.Contains(err.Error(), c.reason) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("got %v, want %q", err, c.reason)
			}
		})
	}
}

func TestFindRefusesWhatOthersCouldReplace(t *testing.T) {
	for name, c := range map[string]struct {
		proctor, plugin, dir os.FileMode
		reason               string
	}{
		"good":                           {0o755, 0o755, 0o755, ""},
		"read only":                      {0o755, 0o555, 0o555, ""},
		"own group":                      {0o755, 0o775, 0o775, ""},
		"not executable":                 {0o755, 0o644, 0o755, "not executable"},
		"open to all":                    {0o755, 0o757, 0o755, "any user can change it"},
		"directory open to all":          {0o755, 0o755, 0o777, "any user can replace it"},
		"sticky directory":               {0o755, 0o755, 0o777 | os.ModeSticky, ""},
		"proctor as open as the plugin":  {0o777, 0o777, 0o755, ""},
		"proctor open, plugin not a bit": {0o777, 0o755, 0o755, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := realTempDir(t)
			proctor := install(t, filepath.Join(root, "host", "proctor"), c.proctor)
			path := install(t, filepath.Join(root, "bin", "proctor-plugin-go"), c.plugin)
			if err := os.Chmod(filepath.Dir(path), c.dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o755) })
			reason := refusal(path, proctor)
			if (reason == "") != (c.reason == "") || !strings.Contains(reason, c.reason) {
				t.Errorf("got %q, want %q", reason, c.reason)
			}
		})
	}
}

func TestFindRefusesFilesOfOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const stranger = 65534
	root := realTempDir(t)
	proctor := install(t, filepath.Join(root, "proctor"), 0o755)
	path := install(t, filepath.Join(root, "proctor-plugin-go"), 0o755)
	if err := os.Chown(path, stranger, 0); err != nil {
		t.Fatal(err)
	}
	found := find(t, FinderConfig{Executable: proctor})
	if len(found.Refused) != 1 || !strings.Contains(found.Refused[0].Reason, "another user") {
		t.Errorf("refused: %v", found.Refused)
	}
	if err := os.Chown(proctor, stranger, 0); err != nil {
		t.Fatal(err)
	}
	if found := find(t, FinderConfig{Executable: proctor}); len(found.Candidates) != 1 {
		t.Errorf("the owner of proctor may own plugins: %v", found.Refused)
	}
	if err := os.Chown(proctor, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 0, stranger); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o775); err != nil {
		t.Fatal(err)
	}
	if reason := refusal(path, proctor); !strings.Contains(reason, "another group") {
		t.Errorf("a foreign group may write: %q", reason)
	}
}

func TestLookupOfAnUnknownNameSaysWhereItLooked(t *testing.T) {
	root := realTempDir(t)
	proctor := install(t, filepath.Join(root, "proctor"), 0o755)
	_, err := find(t, FinderConfig{Executable: proctor}).Lookup("rust")
	for _, text := range []string{"no plugin rust", "proctor-plugin-rust", root, "--plugin rust=PATH"} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}
