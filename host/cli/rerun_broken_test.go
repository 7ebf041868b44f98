package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestRerunAfterABuildFailureCoversTheWholePackage(t *testing.T) {
	good := tests("a", "TestA", pass, "TestB", pass)
	tell(t, []story{
		{
			name: "that was fixed",
			tree: files{"a/a_test.go": tests("a", "TestA", pass, "TestB", "nosuch()"), "b/b_test.go": tests("b", "TestC", pass)},
			steps: []step{
				{code: 1, verdict: api.BuildFailed, outstanding: 1, ran: "b TestC"},
				{call: "rerun", write: files{"a/a_test.go": good}, verdict: api.Passed, ran: "a TestA, a TestB", requested: "a: passed"},
			},
		},
		{
			name: "that stays",
			tree: files{"a/a_test.go": tests("a", "TestA", "nosuch()")},
			steps: []step{
				{code: 1, verdict: api.BuildFailed, outstanding: 1},
				{call: "rerun", code: 1, verdict: api.BuildFailed, outstanding: 1, ran: "-", requested: "a: failed"},
			},
		},
		{
			name: "that became a failed test",
			tree: files{"a/a_test.go": tests("a", "TestA", "nosuch()")},
			steps: []step{
				{code: 1, verdict: api.BuildFailed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestA", fail, "TestB", pass)},
					code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestA, a TestB"},
				{call: "rerun", write: files{"a/a_test.go": good}, verdict: api.Passed, ran: "a TestA"},
			},
		},
		{
			name: "in a package that others import",
			tree: files{
				"lib/lib.go":  "package lib\n\nfunc Two() int { return two }\n",
				"a/a_test.go": tests("a", "TestA", pass),
				"a/lib.go":    "package a\n\nimport \"example.com/m/lib\"\n\nvar _ = lib.Two\n",
				"b/b_test.go": tests("b", "TestB", pass),
			},
			steps: []step{
				{code: 1, verdict: api.BuildFailed, outstanding: 2, ran: "b TestB"},
				{call: "rerun", write: files{"lib/lib.go": "package lib\n\nfunc Two() int { return 2 }\n"}, verdict: api.Passed, ran: "a TestA"},
			},
		},
		{
			name: "that the edit brought",
			tree: files{"a/a_test.go": tests("a", "TestA", pass, "TestB", fail)},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", write: files{"a/a_test.go": tests("a", "TestA", pass, "TestB", "nosuch()")},
					code: 1, verdict: api.BuildFailed, outstanding: 2, ran: "-", requested: "a TestB: did_not_run",
					says: []string{"does not build"}},
				{call: "rerun", write: files{"a/a_test.go": good}, verdict: api.Passed, ran: "a TestA, a TestB",
					requested: "a: passed, a TestB: passed"},
			},
		},
	})
}

func TestRerunAfterACrashCoversWhatNeverStarted(t *testing.T) {
	crash := func(body string) files {
		return files{"a/a_test.go": tests("a", "TestA", pass, "TestB", `if os.Getenv("FIXED") == "" { `+body+` }`, "TestC", pass)}
	}
	tell(t, []story{
		{
			name: "a panic", tree: crash(`panic("oh")`),
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2, ran: "a TestA, a TestB"},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB, a TestC", requested: "a TestB: passed, a TestC: passed"},
			},
		},
		{
			name: "a panic that stays", tree: crash(`panic("oh")`),
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2},
				{call: "rerun", code: 1, verdict: api.Failed, outstanding: 2, ran: "a TestB",
					requested: "a TestB: failed, a TestC: did_not_run", says: []string{"the suite ended first"}},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB, a TestC"},
			},
		},
		{
			name: "a panic in a goroutine", tree: crash(`go panic("oh"); select {}`),
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2, ran: "a TestA, a TestB"},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB, a TestC"},
			},
		},
		{
			name: "os.Exit", tree: crash(`os.Exit(3)`),
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 2, ran: "a TestA, a TestB"},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB, a TestC"},
			},
		},
		{
			name: "FailNow on the test around", tree: files{"a/a_test.go": tests("a",
				"TestT", `outer := t; t.Run("x", func(t *testing.T) { ran(t); if os.Getenv("FIXED") == "" { outer.Fatal("wrong") } });`+sub("y", pass),
				"TestU", pass)},
			steps: []step{
				{code: 1, verdict: api.Failed, ran: "a TestT, a TestT/x, a TestU", outstanding: 2},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestT, a TestT/x, a TestT/y"},
			},
		},
		{
			name: "a time-out",
			tree: crash(hang),
			steps: []step{
				{call: "run --timeout 5", code: exitTimedOut, verdict: api.Incomplete, outstanding: 2, ran: "a TestA, a TestB"},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB, a TestC", requested: "a TestB: passed, a TestC: passed"},
			},
		},
	})
}

func TestRerunAfterAFailureOutsideTestsCoversTheWholePackage(t *testing.T) {
	two := func(main string) files {
		return files{"a/a_test.go": tests("a", "TestA", pass, "TestB", pass) + testMain(main)}
	}
	again := func() step {
		return step{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestA, a TestB", requested: "a: passed"}
	}
	tell(t, []story{
		{
			name: "in TestMain before the tests",
			tree: two(`if os.Getenv("FIXED") == "" { fmt.Println("no database"); os.Exit(1) }; os.Exit(m.Run())`),
			steps: []step{
				{code: 1, verdict: api.BuildFailed, outstanding: 1, ran: "-", says: []string{"no database"}},
				{call: "rerun", code: 1, verdict: api.BuildFailed, outstanding: 1, ran: "-",
					requested: "a: failed", says: []string{"no database"}},
				again(),
			},
		},
		{
			name: "in TestMain after the tests",
			tree: two(`code := m.Run(); if os.Getenv("FIXED") == "" { code = 1 }; os.Exit(code)`),
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1, ran: "a TestA, a TestB"}, again(),
			},
		},
		{
			name: "in init",
			tree: files{
				"a/a_test.go":    tests("a", "TestA", pass, "TestB", pass),
				"a/init_test.go": "package a\n\nimport \"os\"\n\nfunc init() {\n\tif os.Getenv(\"FIXED\") == \"\" {\n\t\tpanic(\"init\")\n\t}\n}\n",
			},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1, ran: "-"}, again(),
			},
		},
		{
			name: "swallowed by TestMain",
			tree: files{"a/a_test.go": tests("a", "TestA", pass, "TestB", broken) + testMain("m.Run(); os.Exit(0)")},
			steps: []step{
				{code: 1, verdict: api.Failed, outstanding: 1},
				{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB"},
			},
		},
	})
}

// A pattern is no package: no result of that name will ever clear it, but that of a run of
// everything in the same setting does.
func TestAPatternThatCouldNotBeLoadedIsOutstandingUntilEverythingIsGreen(t *testing.T) {
	t.Parallel()
	w, other := newModule(t, files{"b/b_test.go": tests("b", "TestB", pass)}), newModule(t, files{"go.mod": "module example.com/other\n\ngo 1.24\n", "a_test.go": tests("a", "TestA", pass)})
	work := filepath.Join(t.TempDir(), "go.work")
	use := func(dirs ...string) {
		testfiles.Write(t, work, "go 1.24\n\nuse (\n"+strings.Join(dirs, "\n")+"\n)\n")
	}
	use(other.dir)
	w.setenv("GOWORK=" + work)
	w.proctor("run").expect(t, exitFailed, "CANNOT BE SET UP", "directory prefix . does not contain")
	w.setenv("GOWORK=off")
	w.proctor("run").expect(t, exitPassed, "1 run as a whole still outstanding")
	w.proctor("rerun").expect(t, exitFailed, "CANNOT BE SET UP")
	use(w.dir)
	w.proctor("rerun").expect(t, exitPassed, "PASSED  1 test")
	w.proctor("rerun", "--list").expect(t, exitPassed, "nothing is outstanding\n")
}

// Its sources are there, so it is no slip, and dropping it would hide it.
func TestAnImportCycleIsNotTakenForATypo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a.go": "package a\n\nimport _ \"example.com/m/b\"\n", "b/b.go": "package b\n\nimport _ \"example.com/m/a\"\n", "a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("run").expect(t, exitFailed, "import cycle not allowed")
	if r := w.proctor("rerun"); r.code != exitFailed || !strings.Contains(r.stdout, "import cycle not allowed") || strings.Contains(r.stdout, "--drop") {
		t.Errorf("exit %d: %s", r.code, r.stdout)
	}
}
