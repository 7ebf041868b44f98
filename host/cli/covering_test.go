package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/golden"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestATargetIsAFileWithLines(t *testing.T) {
	for _, c := range []struct {
		arg    string
		exists []string
		file   string
		lines  string
	}{
		{"a.go", []string{"a.go"}, "a.go", ""},
		{"a.go", nil, "a.go", ""},
		{"a.go:42", []string{"a.go"}, "a.go", "42"},
		{"a.go:42", nil, "a.go", "42"},
		{"a.go:42:", []string{"a.go"}, "a.go", "42"},
		{"a.go:40-60", []string{"a.go"}, "a.go", "40-60"},
		{"a.go:42:7", []string{"a.go"}, "a.go", "42"},
		{"a.go:42:7:", []string{"a.go"}, "a.go", "42"},
		{"a.go:40-60:7", []string{"a.go"}, "a.go", "40-60"},
		{"a.go:42:7", nil, "a.go", "42"},
		{`C:\x\a.go`, []string{`C:\x\a.go`}, `C:\x\a.go`, ""},
		{`C:\x\a.go`, nil, `C:\x\a.go`, ""},
		{`C:\x\a.go:42`, []string{`C:\x\a.go`}, `C:\x\a.go`, "42"},
		{`C:\x\a.go:42:7`, []string{`C:\x\a.go`}, `C:\x\a.go`, "42"},
		{"a:1", []string{"a:1", "a"}, "a:1", ""},
		{"a:1:2", []string{"a:1"}, "a:1", "2"},
		{"a:1:2", []string{"a:1", "a"}, "a", "1"},
		{"a:b:3-4", []string{"a:b"}, "a:b", "3-4"},
		{"a.go:x", []string{"a.go"}, "a.go", "x"},
		{"a.go:4,5", []string{"a.go"}, "a.go", "4,5"},
		{"a.go:", []string{"a.go"}, "a.go", ""},
		{"a.go:0", []string{"a.go"}, "a.go", "0"},
		{"a.go:9-4", []string{"a.go"}, "a.go", "9-4"},
		{":42", nil, ":42", ""},
		{"a\n.go:42", nil, "a\n.go:42", ""},
	} {
		file, lines := parseTarget(c.arg, func(file string) bool { return slices.Contains(c.exists, file) })
		if file != c.file || lines != c.lines {
			t.Errorf("%q, where there is %q: file %q, lines %q; want %q, %q", c.arg, c.exists, file, lines, c.file, c.lines)
		}
	}
}

// covering asks for an answer as an object.
func (w *module) covering(args ...string) (api.Covering, reply) {
	w.t.Helper()
	var c api.Covering
	r := w.proctor(append([]string{"covering", "--json"}, args...)...)
	decodeLine(w.t, r, &c)
	if c.Schema != api.CoveringSchema {
		w.t.Fatalf("no Covering object: %s", r.stdout)
	}
	return c, r
}

// covers are the tests of an answer, with the last elements of their suites.
func covers(tests []api.CoveringTest) string {
	var names []string
	for _, c := range tests {
		names = append(names, strings.TrimSpace(c.Suite[strings.LastIndexByte(c.Suite, '/')+1:]+" "+c.Test))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func TestCoveringAnswersAsExactlyAsItIsKnown(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	is := func(when, target string, granularity api.Granularity, tests string, code int) api.Covering {
		t.Helper()
		c, r := w.covering(target)
		if got := covers(c.Tests); c.Granularity != granularity || got != tests || r.code != code || c.Total != len(c.Tests) {
			t.Errorf("%s, %s: granularity %s, %q, exit %d; want %s, %q, %d\n%s", when, target, c.Granularity, got, r.code, granularity, tests, code, c.Message)
		}
		return c
	}
	is("before anything", "lib/lib.go:3", api.GranularityImport, "lib, use", 0)
	is("before anything", "README.md", api.GranularityUnknown, "", exitNothingRan)
	w.proctor("run", "--cover").expect(t, 0, "coverage: ")
	is("after a run with coverage", "lib/lib.go:5", api.GranularityImport, "lib, use", 0)
	w.index()
	is("after an index", "lib/lib.go:3", api.GranularityTest, "lib TestA, use TestUse", 0)
	is("after an index", "lib/lib.go:3:14", api.GranularityTest, "lib TestA, use TestUse", 0)
	is("after an index", "lib/lib.go:5-6", api.GranularityTest, "lib TestB", 0)
	is("after an index", "use/testdata/a.txt", api.GranularityTest, "use TestData", 0)
	if c := is("after an index", "lib/lib.go:7", api.GranularityTest, "", 0); !slices.Equal(c.Uncovered, []string{"7"}) || c.Stale || c.MeasuredAt == nil {
		t.Errorf("%+v", c)
	}
	w.write(files{"lib/lib.go": strings.Replace(layered["lib/lib.go"], "package lib\n", "package lib\n\n// More lines.\n", 1)})
	if c := is("two lines further down", "lib/lib.go:5", api.GranularityTest, "lib TestA, use TestUse", 0); !c.Stale {
		t.Errorf("it is not stale: %+v", c)
	}
}

func TestTheObjectsAboutCoverageMatchTheGoldenFiles(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	check := func(name string, code int, args ...string) {
		t.Helper()
		r := w.proctor(append(args, "--json")...)
		r.expect(t, code)
		golden.Compare(t, "testdata/"+name+".json", normalized(t, w, r.stdout))
	}
	check("index", 0, "covering", "index")
	check("covering", 0, "covering", "lib/lib.go")
	w.write(files{"lib/lib.go": strings.Replace(layered["lib/lib.go"], "return 1", "return 0 + 1", 1)})
	check("covering-diff", 0, "covering", "--diff")
	check("run-affected", 0, "run", "--affected", "--timeout", "300")
	check("run-cover", 0, "run", "--cover", "--timeout", "300")
}

func TestCoveringPrintsItsAnswerForAReader(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	w.proctor("covering", "lib/lib.go:3").expect(t, 0, "it is built from the file, and was not measured", "   lib (any of its tests)", "`proctor covering index`")
	w.index()
	w.proctor("covering", "lib/lib.go").expect(t, 0, "measured test by test", "  lib TestA", "  use TestUse", "no test executes: ")
	w.proctor("covering", "lib/lib.go", "--limit", "1").expect(t, 0, "and 2 more; a larger --limit shows them")
	w.proctor("covering", "--diff").expect(t, 0, "nothing has changed since HEAD")
	w.write(files{"lib/lib.go": strings.Replace(layered["lib/lib.go"], "return 2", "return 1 + 1", 1)})
	w.proctor("covering", "--diff", "HEAD").expect(t, 0, "lib/lib.go:5  ", "  lib TestB", "STALE")
	w.write(files{"notes.lua": "x = 1\n"})
	var d api.CoveringDiff
	r := w.proctor("covering", "--diff", "--json")
	if decodeLine(t, r, &d); d.FilesTotal != 2 || covers(d.Tests) == "" {
		t.Errorf("exit %d: %s", r.code, r.stdout)
	}
}

func TestAFileIsFoundFromTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	root := w.dir
	w.write(files{"lib/odd:7": "x"})
	w.dir = filepath.Join(root, "lib")
	for arg, file := range map[string]string{
		"lib.go:3": "lib/lib.go", "lib/lib.go:3": "lib/lib.go", filepath.Join(root, "use", "use.go") + ":5": "use/use.go", "../use/use.go": "use/use.go", "odd:7": "lib/odd:7",
	} {
		if c, _ := w.covering(arg); c.File != file {
			t.Errorf("%s is %s, want %s", arg, c.File, file)
		}
	}
	// With -C it is that directory.
	if c, _ := w.covering("-C", root, "use/use.go"); c.File != "use/use.go" {
		t.Errorf("%s", c.File)
	}
}

func TestMisuseOfCoverageExitsWith2(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	outside := filepath.Join(w.home, "x.go")
	testfiles.Write(t, outside, "package x\n")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"covering"}, "name a file"},
		{[]string{"covering", "a", "b"}, "ask about one file at a time"},
		{[]string{"covering", "--diff=main", "lib/lib.go"}, "exclude each other"},
		{[]string{"covering", "--diff="}, "the revision is empty"},
		{[]string{"covering", "--diff", "nosuch"}, "git knows no revision nosuch here"},
		{[]string{"covering", "lib/lib.go:x"}, `"x" is not a line or a range of lines`},
		{[]string{"covering", "lib/lib.go:9-4"}, "end before they begin"},
		{[]string{"covering", "lib/lib.go:0"}, "lines count from 1"},
		{[]string{"covering", "lib/lib.go:999"}, "lines"},
		{[]string{"covering", "lib"}, "is not a regular file"},
		{[]string{"covering", outside}, "lies outside of the workspace"},
		{[]string{"covering", "nosuch.go"}, "there is no file nosuch.go"},
		{[]string{"covering", "lib/lib.go", "--lang", "cobol"}, "cobol"},
		{[]string{"run", "--cover", "--no-cover"}, "exclude each other"},
		{[]string{"run", "--affected", "--package", "./lib"}, "--affected and --package exclude each other"},
		{[]string{"run", "--affected=HEAD", "--sources", "x"}, "--affected and --sources exclude each other"},
		{[]string{"run", "--affected", "nosuch"}, "git knows no revision nosuch here"},
		{[]string{"run", "--affected", "HEAD", "./lib"}, "--affected selects the tests"},
		{[]string{"rerun", "--affected"}, "unknown flag: --affected"},
		{[]string{"rerun", "--cover"}, "arguments for the runner need --from"},
		{[]string{"covering", "index", "--budget", "soon"}, "soon"},
		{[]string{"covering", "index", "--package", "../lib"}, "../lib"},
		{[]string{"covering", "index", "../x"}, "../x"},
	} {
		r := w.proctor(c.args...)
		r.expect(t, exitUsage, c.says, "proctor: ")
		if r.stdout != "" {
			t.Errorf("%q: standard output is not empty: %s", c.args, r.stdout)
		}
	}
}

func TestCoverageIsMeasuredAsTheFlagsOrElseTheSettingsSay(t *testing.T) {
	t.Parallel()
	w := newLayered(t)
	for _, c := range []struct {
		settings string
		args     []string
		measured bool
	}{
		{"", nil, false}, {"", []string{"--cover"}, true},
		{"[run]\ncover = true\n", nil, true}, {"[run]\ncover = true\n", []string{"--no-cover"}, false}, {"[run]\ncover = true\n", []string{"--cover=false"}, false},
	} {
		w.write(files{".proctor.toml": c.settings})
		if run, _ := w.object(append([]string{"run"}, c.args...)...); (run.Coverage != nil) != c.measured {
			t.Errorf("%q %q: %+v", c.settings, c.args, run.Coverage)
		}
	}
}

// Questions start no plugin, so a run keeps the word.
func TestQuestionsCallASuiteWhatItsLanguageCallsIt(t *testing.T) {
	t.Parallel()
	use := func(pkg string) string {
		return "package " + pkg + "\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/lib\"\n)\n\nfunc TestIt(t *testing.T) { lib.Need(t) }\n"
	}
	w := newModule(t, files{
		"lib/lib.go": "package lib\n\nimport \"testing\"\n\nfunc Need(t *testing.T) { t.Fatal(\"no server\") }\n", "a/a_test.go": use("a"), "b/b_test.go": use("b"),
		"c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) { panic(1) }\nfunc TestC(*testing.T) {}\n",
	})
	w.proctor("covering", "lib/lib.go:5").expect(t, 0, "2 packages may execute lib/lib.go:5")
	const cause = "2 failures in 2 packages, one cause"
	w.proctor("run").expect(t, 1, cause)
	w.proctor("failures").expect(t, 0, cause)
	w.proctor("runs", "show").expect(t, 0, cause)
	w.proctor("rerun", "--list").expect(t, 0, "2 tests, 1 package outstanding")
	w.proctor("covering", "lib/lib.go:5").expect(t, 0, "2 packages may execute lib/lib.go:5")
}
