package forge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func notFound(paths ...string) []byte {
	text := "Error: Compiler run failed:\n"
	for _, path := range paths {
		text += "Error (6275): Source \"" + path + "\" not found: File import callback not supported\n --> test/A.t.sol:4:1:\n  |\n4 | import \"" + path + "\";\n  | ^^^^^^^^\n\n"
	}
	return []byte(text)
}

func TestLibrariesThatWereNotFetchedAreNamedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files, paths []string
		want         string
	}{
		{nil, []string{"forge-std/src/Test.sol", "forge-std/src/Vm.sol"}, "a library not found: forge-std; install it (forge install), or map"},
		{[]string{"lib/ds-test/", ".gitmodules"}, []string{"lib/ds-test/src/test.sol", "solmate/a.sol"}, "libraries not found: ds-test, solmate; fetch the submodules (git submodule update --init --recursive), or map"},
		{[]string{"package.json"}, []string{"@prb/math/src/UD60x18.sol"}, "a library not found: @prb/math; install the packages of package.json, or map"},
		{[]string{"lib/dep/src/Here.sol"}, []string{"lib/dep/src/There.sol"}, ""},
		{nil, []string{"src/Gone.sol", "contracts/token/Gone.sol", "script/Gone.s.sol"}, ""},
		{nil, []string{"lib/src/Gone.sol"}, "a library not found: src;"},
		{[]string{"src/Here.sol"}, []string{"src/There.sol", "There.sol", "../x/y.sol", "/a/b.sol", "./a/b.sol"}, ""},
	} {
		root := t.TempDir()
		for _, name := range append(c.files, "foundry.toml") {
			path := filepath.Join(root, name)
			if strings.HasSuffix(name, "/") {
				path = filepath.Join(path, ".")
				if err := os.MkdirAll(path, 0o755); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got := feedParser(t, feeding{run: sdk.RunInfo{Workspace: sdk.Workspace{Root: root}}, stderr: notFound(c.paths...), exit: sdk.Exit{Code: 1}})
		notes := strings.Join(got.Notes, "\n")
		if c.want == "" && strings.Contains(notes, "not found") || !strings.Contains(notes, c.want) || strings.Count(notes, "not found") > 1 || len(got.Failures) == 0 {
			t.Errorf("%v: notes %q of %d failures, want %q", c.paths, notes, len(got.Failures), c.want)
		}
	}
}

func TestASubmoduleThatForgeFetchesIsNoForeignOutput(t *testing.T) {
	t.Parallel()
	got := feedParser(t, feeding{stdout: []byte("Missing dependencies found. Installing now...\n\n" + resultDocument("test/A.t.sol:A", "t()", `"status":"Success"`))})
	if got.Foreign != 0 || strings.Join(got.Notes, "") != "forge found submodules missing, and let git fetch them" {
		t.Errorf("got %+v", got)
	}
}

// Forge reports nothing before its end, so tests called "never started" may have run.
func TestAStoppedForgeLeavesUnknownWhatRan(t *testing.T) {
	t.Parallel()
	whole := resultDocument("test/A.t.sol:A", "t()", `"status":"Success"`)
	for _, c := range []struct {
		out  string
		exit sdk.Exit
		want bool
	}{
		{"", sdk.Exit{Code: -1, Signal: "SIGKILL", TimedOut: true}, true},
		{"", sdk.Exit{Code: -1, Signal: "SIGINT", Cancelled: true}, true},
		{"", sdk.Exit{Code: -1, Signal: "SIGABRT"}, true},
		{"", sdk.Exit{Code: 1}, false},
		{whole, sdk.Exit{Code: -1, Signal: "SIGKILL", TimedOut: true}, false},
		{whole[:len(whole)-10], sdk.Exit{Code: -1, Signal: "SIGKILL"}, false},
	} {
		got := feedParser(t, feeding{stdout: []byte(c.out), exit: c.exit})
		if said := strings.Contains(strings.Join(got.Notes, "\n"), "only when all tests have ended"); said != c.want {
			t.Errorf("%q and %+v: %q", c.out, c.exit, got.Notes)
		}
	}
}
