package examples_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
)

// cargoPlugin is the installed example.
type cargoPlugin struct{ *installed }

func TestPluginCargo(t *testing.T) {
	t.Parallel()
	needs.WholeSuite(t)
	needs.Program(t, "cargo")
	p := newCargoPlugin(t)

	t.Run("passes its own tests", func(t *testing.T) {
		p.command(t, "plugin-cargo", "go", "test", "./...")
	})
	t.Run("imports the sdk and nothing else of proctor", p.importsTheSDK)
	t.Run("passes proctor plugin check", func(t *testing.T) { p.passesCheck(t, "testdata/check", "testdata/kitchen") })
	t.Run("finds what failed and reruns exactly that", p.exampleProject)
}

func (p cargoPlugin) importsTheSDK(t *testing.T) {
	out, _, code := p.execute(t, "plugin-cargo", "go", "list", "-f", `{{join .Imports "\n"}}{{"\n"}}{{join .TestImports "\n"}}`, "./...")
	if code != 0 {
		t.Fatalf("go list: exit code %d", code)
	}
	const ours = "github.com/proctorhq/proctor/"
	imported := 0
	for _, path := range strings.Fields(string(out)) {
		if !strings.HasPrefix(path, ours) {
			continue
		}
		imported++
		if !slices.Contains([]string{"sdk", "sdk/server", "sdk/plugintest"}, strings.TrimPrefix(path, ours)) {
			t.Errorf("the plugin imports %s", path)
		}
	}
	if imported == 0 {
		t.Error("go list names no import of the sdk")
	}
}

func (p cargoPlugin) exampleProject(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("plugin-cargo/testdata/ledger")); err != nil {
		t.Fatal(err)
	}
	first := p.run(t, dir, 1, "run")
	if first.Verdict != "failed" || first.Counts.Passed != 2 || len(first.Failures) != 2 {
		t.Fatalf("want two passes and two failures: %+v", first)
	}
	slices.SortFunc(first.Failures, func(a, b failure) int {
		return strings.Compare(a.Suite, b.Suite)
	})
	total, owner := first.Failures[0], first.Failures[1]
	if total.Suite != "ledger lib ledger" || total.Test != "tests::of_nothing_is_nothing" || total.Kind != "assertion" ||
		total.File != "src/lib.rs" || total.Line != 13 || total.Diff.Got != "1" || total.Diff.Want != "0" {
		t.Errorf("an assertion: %+v", total)
	}
	if owner.Suite != "ledger test api" || owner.Test != "tests::same_name" || owner.Kind != "panic" ||
		owner.File != "src/entry.rs" || owner.Line != 2 || owner.Message != "an entry has an account" {
		t.Errorf("a panic in the project's own code: %+v", owner)
	}

	// Known failures do not decide: cargo exits with 101, which says no more than they do.
	for _, f := range first.Failures {
		p.command(t, dir, p.proctor, "quarantine", "add", f.Suite+" "+f.Test, "--reason", "known")
	}
	if known := p.run(t, dir, 0, "run"); known.Verdict != "passed" {
		t.Errorf("with all failures in quarantine: %+v", known)
	}
	if err := os.Remove(filepath.Join(dir, ".proctor-quarantine.toml")); err != nil {
		t.Fatal(err)
	}
	p.run(t, dir, 1, "run")

	editFile(t, filepath.Join(dir, "src", "lib.rs"), "sum::<i64>() + 1", "sum()")
	again := p.run(t, dir, 1, "rerun")
	var tails []string
	for _, c := range again.Commands {
		at := slices.Index(c.Argv, "-p")
		tails = append(tails, strings.Join(c.Argv[max(at, 0):], " "))
	}
	slices.Sort(tails)
	want := []string{"-p ledger --lib -- --exact -- tests::of_nothing_is_nothing", "-p ledger --test api -- --exact -- tests::same_name"}
	if !slices.Equal(tails, want) {
		t.Errorf("the rerun's commands: %q, want %q", tails, want)
	}
	if again.Counts.Passed != 1 || len(again.Failures) != 1 || again.Failures[0].Suite != owner.Suite {
		t.Errorf("what still fails: %+v", again)
	}

	editFile(t, filepath.Join(dir, "src", "entry.rs"), `expect("an entry has an account")`, `unwrap_or(1)`)
	broken := p.run(t, dir, 1, "rerun")
	if broken.Verdict != "build_failed" || len(broken.Failures) == 0 || broken.Failures[0].File != "src/entry.rs" || broken.Failures[0].Line != 2 {
		t.Errorf("what does not compile: %+v", broken)
	}
	editFile(t, filepath.Join(dir, "src", "entry.rs"), `unwrap_or(1)`, `unwrap_or("nobody")`)
	if last := p.run(t, dir, 0, "rerun"); last.Verdict != "passed" {
		t.Errorf("the last rerun: %+v", last)
	}
}

// newCargoPlugin builds, packs and installs the plugin.
func newCargoPlugin(t *testing.T) cargoPlugin {
	t.Helper()
	p := cargoPlugin{newUser(t, "RUST_")}
	p.source, p.binary = "plugin-cargo", filepath.Join(t.TempDir(), executableName("proctor-plugin-cargo"))
	p.command(t, p.source, "go", "build", "-o", p.binary, "./cmd/proctor-plugin-cargo")
	p.install(t, "cargo", runtime.GOOS+"_"+runtime.GOARCH)
	return p
}
