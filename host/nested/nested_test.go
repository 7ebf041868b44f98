package nested

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestPackagesLeadToTheProjectThatHoldsThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := Site{Dir: dir, Below: []string{"a", "b", "b/tools"}}
	for packages, want := range map[string]string{
		"./b/...":                    "b ./...",
		"b":                          "b .",
		"./b/x ./b/y/...":            "b ./x ./y/...",
		"./b/tools/gen":              "b/tools ./gen",
		"./b/toolshed":               "b ./toolshed",
		filepath.Join(dir, "a", "x"): "a ./x",
		"./a/... ./b/...":            "",
		"./...":                      "",
		"./c":                        "",
		"../a":                       "",
		"example.com/a/x":            "",
		"":                           "",
	} {
		below, named := s.Holding(strings.Fields(packages))
		if got := strings.TrimSpace(below + " " + strings.Join(named, " ")); got != want {
			t.Errorf("%q leads to %q, want %q", packages, got, want)
		}
	}
}

func TestChangedFilesLeadToTheProjectsThatHoldThem(t *testing.T) {
	t.Parallel()
	program := needs.Program(t, "git")
	top := t.TempDir()
	dir := filepath.Join(top, "services")
	put := func(name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, path, name)
	}
	put("a/x")
	put("b/x")
	put("c/old name")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"}} {
		cmd := exec.Command(program, args...)
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s := Site{Dir: dir, Below: []string{"a", "b", "c"}}
	cfg := fingerprint.Config{Git: program, Env: os.Environ()}
	if got := s.Changed(t.Context(), cfg); len(got) != 0 {
		t.Errorf("changed after a commit: %q", got)
	}
	put("b/new")
	put("elsewhere")
	if err := os.Remove(filepath.Join(dir, "c", "old name")); err != nil {
		t.Fatal(err)
	}
	if got := s.Changed(t.Context(), cfg); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("changed: %q", got)
	}
	if got := s.Changed(t.Context(), fingerprint.Config{}); got != nil {
		t.Errorf("changed without git: %q", got)
	}
}
