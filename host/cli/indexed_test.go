package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// states are what became of suites, by the last elements of their names.
func states(ix api.Index) string {
	var words []string
	for _, s := range ix.Suites {
		words = append(words, s.Suite[strings.LastIndexByte(s.Suite, '/')+1:]+" "+string(s.State))
	}
	return strings.Join(words, ", ")
}

// indexed makes an index that need not be whole.
func (w *module) indexed(args ...string) (api.Index, reply) {
	w.t.Helper()
	var ix api.Index
	r := w.proctor(append([]string{"covering", "index", "--json"}, args...)...)
	decodeLine(w.t, r, &ix)
	return ix, r
}

func TestAnIndexMeasuresAgainOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	for _, step := range []struct {
		name  string
		write files
		args  []string
		want  string
	}{
		{name: "the first time", want: "apart indexed, lib indexed, use indexed"},
		{name: "again", want: "apart fresh, lib fresh, use fresh"},
		{name: "after an edit of a package", write: files{"use/use.go": layered["use/use.go"] + "\nfunc More() {}\n"}, want: "apart fresh, lib fresh, use indexed"},
		{name: "after an edit of what it imports", write: files{"lib/lib.go": layered["lib/lib.go"] + "\nfunc More() {}\n"}, want: "apart fresh, lib indexed, use indexed"},
		{name: "after an edit of a file that a test reads", write: files{"use/testdata/a.txt": "b"}, want: "apart fresh, lib fresh, use indexed"},
		{name: "after an edit of a file that nobody reads", write: files{"README.md": "x"}, want: "apart fresh, lib fresh, use fresh"},
		{name: "with another test", write: files{"apart/b_test.go": "package apart\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n"}, want: "apart indexed, lib fresh, use fresh"},
		{name: "of one package, all of it", args: []string{"--force", "./lib"}, want: "lib indexed"},
	} {
		w.write(step.write)
		ix, r := w.indexed(step.args...)
		if got := states(ix); got != step.want || r.code != 0 {
			t.Errorf("%s: %s (exit %d), want %s\n%s", step.name, got, r.code, step.want, r.stderr)
		}
	}
}

func TestAnIndexFindsTestsThatDependOnOthers(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": `package a

import "testing"

var ready, used bool

func TestFirst(t *testing.T) { ready = true }

func TestSecond(t *testing.T) {
	if !ready {
		t.Fatal("TestFirst did not run")
	}
	used = true
}

func TestThird(t *testing.T) {
	if used {
		t.Fatal("TestSecond left something")
	}
}
`})
	ix, _ := w.indexed()
	want := []api.OrderFinding{
		{Suite: "example.com/m/a", Test: "TestSecond", Alone: sdk.Failed, Together: sdk.Passed},
		{Suite: "example.com/m/a", Test: "TestThird", Alone: sdk.Passed, Together: sdk.Failed},
	}
	if !slices.Equal(ix.Findings, want) {
		t.Errorf("%+v", ix.Findings)
	}
	// They are told again as long as nothing changes.
	if again, _ := w.indexed(); !slices.Equal(again.Findings, want) || states(again) != "a fresh" {
		t.Errorf("%+v, %s", again.Findings, states(again))
	}
}

func TestAnIndexMeasuresTheSuitesThatBuild(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.write(files{"use/use.go": "package use\n\nfunc Use() int { return nothing }\n"})
	ix, r := w.indexed()
	if got := states(ix); got != "apart indexed, lib indexed, use failed" || r.code != exitFailed || ix.Complete {
		t.Errorf("%s, exit %d\n%s%s", got, r.code, r.stdout, r.stderr)
	}
	if len(ix.Failures) != 1 || !strings.Contains(ix.Failures[0].Message, "nothing") {
		t.Errorf("%+v", ix.Failures)
	}
	// A package that does not build has no part in an answer, and is run.
	w.git("commit", "-q", "-a", "-m", "broken")
	w.write(layered)
	run, _ := w.object("run", "--affected")
	if got := chosen(run); got != "use" || run.Verdict != api.Passed {
		t.Errorf("chosen %q, %s", got, run.Verdict)
	}
}

func TestAnIndexIsNotARun(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Fatal() }\n"})
	ix, r := w.indexed()
	if states(ix) != "a indexed" || r.code != 0 {
		t.Errorf("%s, exit %d\n%s", states(ix), r.code, r.stderr)
	}
	w.proctor("failures").expect(t, exitPassed, "no")
	w.proctor("runs").expect(t, exitPassed)
	w.proctor("rerun", "--list").expect(t, exitPassed)
	if r := w.proctor("history", "TestA"); r.code == exitPassed {
		t.Errorf("the history has it: %s", r.stdout)
	}
}
