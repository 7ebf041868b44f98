package cli

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// A slip in the call is no failure of the project: nothing is on record of it.
func TestAMistypedCallLeavesNothingOutstanding(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"go.work": "go 1.20\n\nuse (\n\t./a\n\t./b\n)\n", "a/go.mod": "module example.com/a\n\ngo 1.20\n", "b/go.mod": "module example.com/b\n\ngo 1.20\n",
		"a/a_test.go": tests("a", "TestA", pass), "b/cycle.go": "package b\n\nimport _ \"example.com/b\"\n", "b/b_test.go": tests("b", "TestB", pass),
	})
	for pattern, says := range map[string]string{
		"./...":        "modules: ./a/... ./b/...",
		"./nosuch/...": "there is no directory ./nosuch",
		"./a/nosuch":   "there is no directory ./a/nosuch",
	} {
		w.proctor("run", "--package", pattern).expect(t, exitUsage, `"`+pattern+`" matches no package`, says)
	}
	w.proctor("rerun", "--list").expect(t, 0, noRunYet)
	w.proctor("rerun").expect(t, exitNothingRan, noRunYet)
	// An existing package that cannot be loaded is red.
	run, _ := w.object("run", "--lang", "Go", "--package", "./b/...")
	if run.Verdict != api.BuildFailed || run.Outstanding != 1 {
		t.Errorf("an import cycle is %s, %d outstanding", run.Verdict, run.Outstanding)
	}
}

// A name that no test has is told the tests with one like it.
func TestAMistypedTestIsToldTheNearest(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestCompress", pass), "b/b_test.go": tests("b", "TestB", pass)})
	for filter, meant := range map[string]bool{
		"TestComperss":     true,
		"^TestComprss$/gz": true,
		"TestComprss|None": false,
		"TestOther":        false,
	} {
		r := w.proctor("run", "-run", filter)
		r.expect(t, exitNothingRan, "no test matches")
		if told := strings.Contains(r.stdout, "did you mean TestCompress?"); told != meant {
			t.Errorf("-run %s is told the nearest: %t, want %t\n%s", filter, told, meant, r.stdout)
		}
	}
	// Of what is outstanding, a rerun takes some by name.
	w.write(files{"a/a_test.go": tests("a", "TestCompress", fail)})
	w.proctor("run", "./a").expect(t, exitFailed)
	w.proctor("rerun", "TestComprss").expect(t, exitUsage, "not outstanding: TestComprss; did you mean a/TestCompress?")
	w.proctor("rerun", "./b").expect(t, exitUsage, "not outstanding: ./b; `proctor rerun --list`")
	// It exists, elsewhere.
	w.proctor("run", "-run", "TestB", "./a").expect(t, exitNothingRan, "did you mean b/TestB?")
}
