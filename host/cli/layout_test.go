package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestANestedModuleIsNamedAsNotTested(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go":             tests("a", "TestA", pass),
		"tools/go.mod":            "module example.com/m/tools\n\ngo 1.20\n",
		"tools/t_test.go":         tests("tools", "TestT", fail),
		"a/testdata/mod/go.mod":   "module example.com/data\n\ngo 1.20\n",
		"a/testdata/mod/d.go":     "package mod\n",
		"_ignored/go.mod":         "module example.com/ignored\n\ngo 1.20\n",
		"vendor/example.com/v.go": "package v\n",
	})
	w.remove("vendor")
	run, r := w.object("run")
	if r.code != 0 || run.Verdict != api.Passed {
		t.Errorf("exit %d, verdict %s", r.code, run.Verdict)
	}
	if len(run.Warnings) != 1 || run.Warnings[0].Code != api.NoteNotTested || !strings.HasPrefix(run.Warnings[0].Text, "not tested: tools: ") {
		t.Errorf("warnings: %q", run.Warnings)
	}
	w.proctor("run").expect(t, 0, "not tested: tools: ")
	w.proctor("run", "-C", "tools").expect(t, 1, " tools TestT")
}

func TestAGoWorkspaceRunsAllOfItsModules(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"go.work":         "go 1.25\n\nuse (\n\t./one\n\t./two\n)\n",
		"one/go.mod":      "module example.com/m/one\n\ngo 1.25\n",
		"one/one_test.go": tests("one", "TestOne", pass),
		"two/go.mod":      "module example.com/m/two\n\ngo 1.25\n",
		"two/two_test.go": tests("two", "TestTwo", broken, "TestOther", pass),
		"out/go.mod":      "module example.com/m/out\n\ngo 1.25\n",
		"out/out_test.go": tests("out", "TestOut", fail),
	})
	for _, s := range []step{
		{code: 1, verdict: api.Failed, outstanding: 1, ran: "one TestOne, two TestOther, two TestTwo", says: []string{"not tested: out: "}},
		{call: "rerun", env: fixed, verdict: api.Passed, ran: "two TestTwo", requested: "two TestTwo: passed"},
		{call: "run ./one", verdict: api.Passed, ran: "one TestOne"},
	} {
		if !s.happens(t, w) {
			t.Fatalf("in proctor %s", s.command())
		}
	}
}

// Older toolchains say the same things in other words. The variables name their
// GOROOTs; without them nothing is known about these releases.
func TestOlderToolchains(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"PROCTOR_TEST_GO120", "PROCTOR_TEST_GO123"} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			root := os.Getenv(variable)
			if root == "" {
				t.Skipf("NOT TESTED: %s does not name the GOROOT of that release", variable)
			}
			w := newModule(t, crossed())
			w.setenv("PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "GOFLAGS=")
			runAndRerun(t, w)
			for _, s := range []step{
				{write: files{"a/a_test.go": tests("a", "TestA", "nosuch()")}, code: 1, verdict: api.BuildFailed, outstanding: 1, says: []string{"undefined: nosuch"}},
				{write: files{"a/a_test.go": tests("a", "TestA", `panic("oh")`, "TestZ", pass)}, code: 1, verdict: api.Failed, outstanding: 3,
					says: []string{`"kind":"panic"`, `"never_started":[{"suite":"example.com/m/a","test":"TestZ"}]`}},
				{write: files{"a/a_test.go": tests("a", "TestA", hang)}, call: "run --timeout 5", code: exitTimedOut, verdict: api.Incomplete,
					outstanding: 3, says: []string{`"kind":"timeout"`}},
			} {
				if !s.happens(t, w) {
					t.Fatalf("in proctor %s", s.command())
				}
			}
		})
	}
}
