package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestCompletionOffersWhatIsOnRecord(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass, "TestBad", fail)})
	w.proctor("__complete", "runs", "show", "").expect(t, 0, "last\nprev\n:4")
	run, _ := w.object("run")
	w.proctor("__complete", "runs", "show", run.RunID[:3]).expect(t, 0, run.RunID+"\n:4")
	if got := w.proctor("__complete", "why", "Test").stdout; !strings.HasPrefix(got, "TestBad\n:4") {
		t.Error(got)
	}
	if got := w.proctor("__complete", "why", "TestBad", "").stdout; !strings.HasPrefix(got, ":4") {
		t.Errorf("a second test: %s", got)
	}
}

// Tests may be called anything, and shells paste what is offered.
func TestCompletionOffersNothingThatAShellInterprets(t *testing.T) {
	t.Parallel()
	var list api.Outstanding
	for _, name := range []string{"TestA", "TestA/$(id)", "TestA/`id`", "TestA;id", "TestA b", "TestA\nTestB", "-x", "TestA/\x1b[1m", "TestA'", `TestA"`, "TestA\\", "TestA(uint256)", "test_b()", ""} {
		list.Tests = append(list.Tests, api.OutstandingTest{Test: name})
	}
	list.Tests = append(list.Tests, api.OutstandingTest{Suite: "example.com/m/a"})
	for _, suite := range []string{"example.com/m", "example.com/m/b"} {
		list.Tests = append(list.Tests, api.OutstandingTest{Suite: suite, Test: "TestSame"})
	}
	var suites api.SuiteNames
	suites.LearnPrefixes([]string{"example.com/m"})
	if got := completions(testNames(list, suites), ""); !slices.Equal(got, []string{"TestA", "TestA", "test_b", "a", "m/TestSame", "b/TestSame"}) {
		t.Errorf("%q", got)
	}
	if got := completions([]string{"TestA", "TestB"}, "TestB"); !slices.Equal(got, []string{"TestB"}) {
		t.Errorf("%q", got)
	}
}
