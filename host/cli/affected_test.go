package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// layered is a module in which each test reaches one thing and nothing else does.
var layered = files{
	"lib/lib.go": `package lib

func A() int { return 1 }

func B() int { return 2 }

func Idle() int { return 3 }
`,
	"lib/lib_test.go": `package lib

import "testing"

func TestA(t *testing.T) {
	if A() != 1 {
		t.Fatal("A")
	}
}

func TestB(t *testing.T) {
	if B() != 2 {
		t.Fatal("B")
	}
}
`,
	"use/use.go": "package use\n\nimport \"example.com/m/lib\"\n\nfunc Use() int { return lib.A() + 1 }\n",
	"use/use_test.go": `package use

import (
	"os"
	"testing"
)

func TestUse(t *testing.T) {
	if Use() != 2 {
		t.Fatal("Use")
	}
}

func TestData(t *testing.T) {
	if text, err := os.ReadFile("testdata/a.txt"); err != nil || string(text) != "a" {
		t.Fatal(string(text), err)
	}
}
`,
	"use/testdata/a.txt":  "a",
	"apart/apart_test.go": "package apart\n\nimport \"testing\"\n\nfunc TestApart(t *testing.T) {}\n",
	"README.md":           "nobody reads this\n",
}

// newLayered is the module, committed.
func newLayered(t testing.TB) *module {
	w := newModule(t, layered)
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "one")
	return w
}

// index makes an index, which must be whole.
func (w *module) index() api.Index {
	w.t.Helper()
	var ix api.Index
	r := w.proctor("covering", "index", "--json")
	decodeLine(w.t, r, &ix)
	if r.code != 0 || !ix.Complete {
		w.t.Fatalf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	return ix
}

// chosen are the tests that a run chose, with the last element of their suites; a whole
// suite stands alone, and one that is only built in brackets.
func chosen(run api.Run) string {
	var names []string
	last := func(suite string) string { return suite[strings.LastIndexByte(suite, '/')+1:] }
	for _, c := range run.Affected.Chosen {
		names = append(names, strings.TrimSpace(last(c.Suite)+" "+c.Test))
	}
	for _, suite := range run.Affected.BuildOnly {
		names = append(names, "["+last(suite)+"]")
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func TestAnAffectedRunRunsWhatTheEditCanBreak(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.index()
	kept := filepath.Join(w.home, "kept")
	renewTree(t, kept, filepath.Join(w.dir, ".proctor"))
	change := func(file, before, after string) files {
		if !strings.Contains(layered[file], before) {
			t.Fatalf("%s has no %q", file, before)
		}
		return files{file: strings.Replace(layered[file], before, after, 1)}
	}
	for _, c := range []struct {
		name    string
		indexed bool
		write   files
		remove  []string
		chosen  string
		code    int
		verdict api.Verdict
		says    string
	}{
		{name: "nothing changed", indexed: true, code: exitNothingRan, verdict: api.NothingRan, says: "nothing has changed"},
		{name: "a function", indexed: true, write: change("lib/lib.go", "return 1", "return 4"),
			chosen: "lib TestA, use TestUse", code: exitFailed, verdict: api.Failed},
		{name: "a function in a way that nobody notices", indexed: true, write: change("lib/lib.go", "return 2", "return 1 + 1"),
			chosen: "[use], lib TestB", verdict: api.Passed},
		{name: "a function that no test executes", indexed: true, write: change("lib/lib.go", "return 3", "return 4"),
			chosen: "[lib], [use]", code: exitNothingRan, verdict: api.NothingRan, says: "no test was chosen"},
		{name: "a function that no test executes and that no longer builds", indexed: true, write: change("lib/lib.go", "return 3", "return nil"),
			chosen: "[lib], [use]", code: exitFailed, verdict: api.BuildFailed},
		{name: "a file that a test reads", indexed: true, write: files{"use/testdata/a.txt": "b"},
			chosen: "use TestData", code: exitFailed, verdict: api.Failed},
		{name: "a file that nobody reads", indexed: true, write: files{"README.md": "x"},
			code: exitNothingRan, verdict: api.NothingRan, says: "no test was chosen: no test is built from, reads or executes what changed in 1 file"},
		{name: "a test", indexed: true, write: change("lib/lib_test.go", `t.Fatal("B")`, `t.Fatal("b")`),
			chosen: "lib TestB", verdict: api.Passed},
		{name: "a new test", indexed: true, write: files{"apart/new_test.go": "package apart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) { t.Fail() }\n"},
			chosen: "apart", code: exitFailed, verdict: api.Failed},
		{name: "a type", indexed: true, write: change("lib/lib.go", "func B", "type T int\n\nfunc B"),
			chosen: "lib, use", verdict: api.Passed},
		{name: "a comment", indexed: true, write: change("lib/lib.go", "func B", "// B is.\nfunc B"),
			chosen: "[lib], [use]", code: exitNothingRan, verdict: api.NothingRan},
		{name: "the module file", indexed: true, write: files{"go.mod": "module example.com/m\n\ngo 1.24\n\n// changed\n"},
			chosen: "apart, lib, use", verdict: api.Passed},
		{name: "a removed file", indexed: true, remove: []string{"use/testdata/a.txt"},
			chosen: "use TestData", code: exitFailed, verdict: api.Failed},
		{name: "a function, without an index", write: change("lib/lib.go", "return 2", "return 1 + 1"),
			chosen: "lib, use", verdict: api.Passed},
		{name: "any file, without an index", write: files{"README.md": "x"},
			chosen: "apart, lib, use", verdict: api.Passed},
	} {
		t.Run(c.name, func(t *testing.T) {
			// All cases are of one module, so that it is measured only once.
			w.git("checkout", "-q", ".")
			w.git("clean", "-q", "-d", "-f", "-x")
			if c.indexed {
				renewTree(t, filepath.Join(w.dir, ".proctor"), kept)
			}
			w.write(c.write)
			w.remove(c.remove...)
			run, r := w.object("run", "--affected")
			r.expect(t, c.code, c.says)
			if got := chosen(run); got != c.chosen || run.Verdict != c.verdict {
				t.Errorf("chosen %q, %s; want %q, %s\n%+v\n%s", got, run.Verdict, c.chosen, c.verdict, run.Affected, run.Reason)
			}
		})
	}
}

func TestAnAffectedRunAlsoRunsWhatIsOutstanding(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.index()
	w.write(files{"lib/lib.go": strings.Replace(layered["lib/lib.go"], "return 2", "return 9", 1)})
	w.proctor("run").expect(t, exitFailed)
	w.git("commit", "-q", "-a", "-m", "two")
	run, r := w.object("run", "--affected")
	r.expect(t, exitFailed)
	if got := chosen(run); got != "lib TestB" || run.Outstanding != 1 {
		t.Errorf("chosen %q, outstanding %d", got, run.Outstanding)
	}
	// What passes leaves the set, as in any run.
	w.write(layered)
	run, r = w.object("run", "--affected")
	r.expect(t, exitPassed)
	if got := chosen(run); !strings.Contains(got, "lib TestB") || run.Outstanding != 0 {
		t.Errorf("chosen %q, outstanding %d", got, run.Outstanding)
	}
}

func TestAnAffectedRunIsRefusedWhereItIsMeaningless(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	for _, c := range []struct{ args, says string }{
		{"run --affected=nosuch", "nosuch"},
		{"run --affected --filter X", "--affected"},
		{"run --affected=HEAD ./lib", "--affected"},
	} {
		w.proctor(strings.Fields(c.args)...).expect(t, exitUsage, c.says)
	}
	w.remove(".git")
	w.proctor("run", "--affected").expect(t, exitUsage, "git")
}

func TestAnAffectedRunIsNotARunOfEverything(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.index()
	w.proctor("run").expect(t, exitPassed)
	w.write(files{"lib/lib.go": strings.Replace(layered["lib/lib.go"], "return 2", "return 1 + 1", 1)})
	run, _ := w.object("run", "--affected")
	if run.Integrity != nil || !strings.Contains(run.Reason, fmt.Sprintf("filtered: 1 of %d", 5)) {
		t.Errorf("%q, %+v", run.Reason, run.Integrity)
	}
}

func TestAnAffectedRunRunsEverythingAfterALinkIsRedirected(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	link := filepath.Join(w.dir, "apart", "link")
	if err := os.Symlink("one", link); err != nil {
		t.Skip("SKIPPED: no links can be made here:", err)
	}
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "link")
	w.index()
	if err := errors.Join(os.Remove(link), os.Symlink("two", link)); err != nil {
		t.Fatal(err)
	}
	run, _ := w.object("run", "--affected")
	if got := chosen(run); run.Affected.Everything == "" && got != "apart, lib, use" {
		t.Errorf("chosen %q: %+v", got, run.Affected)
	}
}

func TestAnAffectedRunDoesNotWaitForWhatIsGone(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.index()
	w.write(files{"apart/b_test.go": "package apart\n\nimport \"testing\"\n\nfunc TestGone(t *testing.T) { t.Fail() }\n", "bare/bare.go": "package bare\n\nvar x int = nothing\n"})
	w.proctor("run").expect(t, exitFailed)
	w.remove("apart/b_test.go")
	w.write(files{"bare/bare.go": "package bare\n"})
	run, r := w.object("run", "--affected")
	if run.Verdict == api.Incomplete || run.Counts.NeverStarted != 0 || strings.Contains(chosen(run), "TestGone") {
		t.Errorf("%s: %s\n%+v\n%s", run.Verdict, run.Reason, run.Affected, r.stderr)
	}
	// The package without tests builds again; the test that is gone waits for a whole run.
	if run.Outstanding != 1 {
		t.Errorf("%d outstanding", run.Outstanding)
	}
	w.proctor("run").expect(t, exitPassed)
}
