package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// newCacheable makes a module with tests whose results the go command has never seen, for
// they depend on a variable: its cache outlives these tests.
func newCacheable(t *testing.T) (w *module, outside string) {
	t.Helper()
	outside = filepath.Join(t.TempDir(), "outside")
	test := func(name, body string) string {
		return "package " + name + "\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"example.com/m/base\"\n)\n\nfunc Test" + strings.ToUpper(name) + "(t *testing.T) {\n\tt.Log(base.Name, os.Getenv(\"NONCE\"))\n" + body + "}\n"
	}
	w = newModule(t, files{
		"base/base.go":  "package base\n\nconst Name = \"base\"\n",
		"a/a_test.go":   test("a", "\tif text, _ := os.ReadFile(\"testdata/in\"); string(text) == \"bad\" {\n\t\tt.Error(\"bad\")\n\t}\n"),
		"a/testdata/in": "good",
		"b/b_test.go":   test("b", "\tif os.Getenv(\"WRONG\") != \"\" {\n\t\tt.Error(\"wrong\")\n\t}\n"),
		"c/c_test.go":   test("c", "\tif text, _ := os.ReadFile("+fmt.Sprintf("%q", outside)+"); string(text) == \"bad\" {\n\t\tt.Error(\"bad\")\n\t}\n"),
		"d/d_test.go":   test("d", "\tt.Run(\"part\", func(t *testing.T) {})\n") + "\nfunc TestSkipped(t *testing.T) { t.Skip(\"later\") }\n",
	})
	w.age("a/testdata/in")
	w.setenv("NONCE=" + t.Name() + time.Now().String())
	return w, outside
}

// age makes a file older than the go command likes to see one that it caches results of.
func (w *module) age(name string) {
	w.t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(w.dir, filepath.FromSlash(name)), old, old); err != nil {
		w.t.Fatal(err)
	}
}

// cached runs with --cached, and returns which tests are from the cache.
func (w *module) cached(args ...string) (api.Run, []string) {
	w.t.Helper()
	run, _ := w.object(append([]string{"run", "--cached"}, args...)...)
	shown, _ := w.object("runs", "show", run.RunID)
	var tests []string
	for _, r := range shown.Results {
		if r.Cached {
			tests = append(tests, r.Test)
		}
		if r.Cached && r.DurationS > 0 {
			w.t.Errorf("%s is from the cache and took %gs", r.Test, r.DurationS)
		}
	}
	slices.Sort(tests)
	return run, tests
}

// expectCached expects a pass in which exactly these tests are from the cache.
func (w *module) expectCached(what string, want []string, args ...string) {
	w.t.Helper()
	run, got := w.cached(args...)
	if run.Verdict != api.Passed || !slices.Equal(got, want) {
		w.t.Errorf("%s: %s, %q are from the cache, want %q", what, run.Verdict, got, want)
	}
	passed := len(want)
	for _, name := range []string{"TestSkipped", "TestD/part"} {
		if slices.Contains(want, name) {
			passed--
		}
	}
	if n := run.Counts; n.TestsPassed != 4 || n.TestsCached != passed {
		w.t.Errorf("%s: %+v", what, n)
	}
}

func TestOnlyResultsThatNothingCanHaveChangedAreCached(t *testing.T) {
	t.Parallel()
	w, _ := newCacheable(t)
	all, d := []string{"TestA", "TestB", "TestC", "TestD", "TestD/part", "TestSkipped"}, []string{"TestD", "TestD/part", "TestSkipped"}
	w.expectCached("the first time", nil)
	w.expectCached("again", all)
	w.proctor("run", "--cached").expect(t, 0, "PASSED  4 tests, all of them cached", "1 skipped")
	w.proctor("runs", "show").expect(t, 0, "(cached)")

	w.write(files{"a/testdata/in": "well"})
	w.age("a/testdata/in")
	w.expectCached("after a file that a test reads was changed", slices.Concat([]string{"TestB", "TestC"}, d))
	w.expectCached("again", all)

	w.setenv("WRONG=") // which is not as unset
	w.expectCached("with a variable set that a test reads", slices.Concat([]string{"TestA", "TestC"}, d))
	w.setenv("OTHER=1")
	w.expectCached("with a variable that no test reads", all)

	w.expectCached("with another flag", nil, "--", "-short")
	w.expectCached("again", all, "--", "-short")
	w.expectCached("with a flag that the cache does not know", nil, "--", "-shuffle=1")
	w.expectCached("with a number of times", nil, "--", "-count=1")

	w.write(files{"b/more_test.go": "package b\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {}\n"})
	w.proctor("run", "--cached").expect(t, 0, "PASSED  5 tests, 3 of them cached")
	w.remove("b/more_test.go")

	base, err := os.ReadFile(filepath.Join(w.dir, "base", "base.go"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(files{"base/base.go": strings.Replace(string(base), `= "`, `= "not `, 1)})
	w.expectCached("after a dependency of all was changed", nil)
	w.expectCached("again", all)

	run, _ := w.object("run")
	if n := run.Counts; run.Verdict != api.Passed || n.Cached != 0 || n.TestsCached != 0 {
		t.Errorf("without --cached: %s, %+v", run.Verdict, n)
	}
	w.write(files{".proctor.toml": "[run]\ncached = true\n"})
	for flag, want := range map[string]int{"--cached": 4, "--no-cached": 0, "--json": 4} {
		run, _ := w.object("run", flag)
		if run.Counts.TestsCached != want {
			t.Errorf("%s with run.cached: %d of %d", flag, run.Counts.TestsCached, run.Counts.TestsPassed)
		}
	}
}

func TestAnUnnoticedChangeStaysOutstandingUntilItRan(t *testing.T) {
	t.Parallel()
	w, outside := newCacheable(t)
	write := func(text string) {
		testfiles.Write(t, outside, text)
	}
	write("good")
	w.expectCached("the first time", nil)
	write("bad") // no part of the module: the go command does not look at it
	w.expectCached("after a change elsewhere", []string{"TestA", "TestB", "TestC", "TestD", "TestD/part", "TestSkipped"})
	if run, _ := w.object("run"); run.Verdict != api.Failed || run.Outstanding != 1 {
		t.Fatalf("%s, %d outstanding", run.Verdict, run.Outstanding)
	}
	rest := []string{"TestA", "TestB", "TestD", "TestD/part", "TestSkipped"}
	run, cached := w.cached()
	if run.Verdict != api.Failed || run.Outstanding != 1 || !slices.Equal(cached, rest) || len(run.Commands) != 2 || run.Counts.Repeats != 0 {
		t.Errorf("%s, %d outstanding, %q are from the cache, %d commands, %+v", run.Verdict, run.Outstanding, cached, len(run.Commands), run.Counts)
	}
	if argv := strings.Join(run.Commands[1].Argv, " "); !strings.Contains(argv, "-count=1") || !strings.HasSuffix(argv, " example.com/m/c") {
		t.Errorf("what is outstanding ran with %s", argv)
	}
	// A rerun never takes it from the cache.
	if again, _ := w.object("rerun"); again.Verdict != api.Failed || again.Counts.Cached != 0 {
		t.Errorf("rerun: %s, %+v", again.Verdict, again.Counts)
	}
	write("good")
	if run, cached = w.cached(); run.Verdict != api.Passed || run.Outstanding != 0 || !slices.Equal(cached, rest) {
		t.Errorf("%s, %d outstanding, %q are from the cache", run.Verdict, run.Outstanding, cached)
	}
	// Now that nothing is, the cache will do. It says nothing about C in these sources.
	run, _ = w.cached()
	if run.Counts.TestsCached != 4 || len(run.Commands) != 1 {
		t.Errorf("%+v, %d commands", run.Counts, len(run.Commands))
	}
	var h api.History
	decodeLine(t, w.proctor("history", "TestC", "--json"), &h)
	var statuses []string
	for _, p := range h.Timeline {
		statuses = append(statuses, string(p.Status))
	}
	slices.Reverse(statuses) // oldest first
	if want := []string{"passed", "cached", "failed", "failed", "failed", "passed", "cached"}; !slices.Equal(statuses, want) {
		t.Errorf("on record: %q, want %q", statuses, want)
	}
}

// A pass that was cached before is no pass on the sources of now.
func TestACachedPassIsNoEvidenceOfFlakiness(t *testing.T) {
	t.Parallel()
	w, outside := newCacheable(t)
	w.commit()
	w.expectCached("the first time", nil)
	w.write(files{"README": "another state of the sources"})
	w.expectCached("again", []string{"TestA", "TestB", "TestC", "TestD", "TestD/part", "TestSkipped"})
	testfiles.Write(t, outside, "bad")
	run, _ := w.object("run")
	if len(run.Failures) != 1 || run.Failures[0].Standing == nil || run.Failures[0].Flaky != nil {
		t.Fatalf("%+v", run.Failures)
	}
	if l := run.Failures[0].LastPassed; l == nil || l.Fingerprint == run.Source.Fingerprint {
		t.Errorf("it last passed in %+v, as if the cache had proved it on %s", l, run.Source.Fingerprint)
	}
	if slow := w.proctor("history", "--slow"); slow.code != 0 {
		t.Error(slow)
	}
}

func TestCoverageIsCachedToo(t *testing.T) {
	t.Parallel()
	w, _ := newCacheable(t)
	w.write(files{"base/more.go": "package base\n\nfunc Add(x, y int) int { return x + y }\n", "base/more_test.go": "package base\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestAdd(t *testing.T) { t.Log(Add(1, 2), os.Getenv(\"NONCE\")) }\n"})
	var covered [2]int
	for i := range covered {
		run, _ := w.cached("--cover")
		if run.Coverage == nil || run.Counts.TestsCached != 5*i {
			t.Fatalf("%d: %+v, coverage %+v", i, run.Counts, run.Coverage)
		}
		covered[i] = int(run.Coverage.Covered)
	}
	if covered[0] != covered[1] || covered[0] != 1 {
		t.Errorf("statements covered: %d, and %d from the cache", covered[0], covered[1])
	}
}

func TestALanguageWithoutACacheSaysSoOnce(t *testing.T) {
	t.Parallel()
	report := fakeplugin.Report{Tests: []sdk.TestResult{{TestID: sdk.TestID{Suite: "s", Test: "T"}, Status: sdk.Passed}}}
	w := newModule(t, files{fakeplugin.ReportFile: report.Encode(), "a_test.go": "package m\n"})
	plugin := []string{"--lang", fakeMeasured, "--plugin", fakeMeasured + "=" + fakePlugin(t, fakeMeasured)}
	note := func(args ...string) (texts []string) {
		run, _ := w.object(slices.Concat([]string{"run"}, args, plugin)...)
		if run.Verdict != api.Passed {
			t.Errorf("%q: %s", args, run.Verdict)
		}
		for _, n := range run.Warnings {
			if n.Code == api.NoteCached {
				texts = append(texts, n.Text)
			}
		}
		return texts
	}
	if got := note("--cached"); len(got) != 1 || got[0] != "every test ran: "+fakeMeasured+" has no cache of results" {
		t.Errorf("%q", got)
	}
	w.write(files{".proctor.toml": "[run]\ncached = true\n"})
	if got := note(); len(got) > 0 {
		t.Errorf("a setting that is not about this language: %q", got)
	}
}
