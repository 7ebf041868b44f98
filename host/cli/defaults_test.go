package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestARunTakesTheArgumentsOfTheProjectsFile(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go":      tests("a", "TestOne", pass, "TestTwo", pass),
		"a/tagged_test.go": "//go:build extra\n\npackage a\n\nimport \"testing\"\n\nfunc TestTagged(t *testing.T) {}\n",
	})
	for _, c := range []struct {
		file, args string
		run        []string
		tests      int
		runner     []string
		reason     string
	}{
		{"[run.go]\n", `["-tags", "extra", "-count=2"]`, nil, 3, []string{"-tags", "extra"}, "3 tests passed, 6 times in all (with runner arguments -tags extra)"},
		{"[run]\n", `["-tags=extra"]`, []string{"-tags", "none"}, 2, []string{"-tags", "none"}, "2 tests passed (with runner arguments -tags none)"},
		{"[run]\n", `["-short"]`, nil, 2, []string{"-short"}, "2 tests passed (narrowed by settings: -short in .proctor.toml)"},
		{"[run]\n", `["-short"]`, []string{"-short"}, 2, []string{"-short"}, "2 tests passed (narrowed by -short)"},
		{"[run]\n", `["-run", "One"]`, nil, 1, nil, "(filtered: 1 of 2 tests; narrowed by settings: -run One in .proctor.toml)"},
		{"[run]\n", `["-run", "One"]`, []string{"-f", "Two|One"}, 2, nil, "2 tests passed (filtered: no test left out)"},
		{"[run]\nargs = [\"-short\"]\n[run.go]\n", `[]`, nil, 2, nil, "2 tests passed"},
	} {
		w.write(files{".proctor.toml": c.file + "args = " + c.args + "\n"})
		run, r := w.object(append([]string{"run"}, c.run...)...)
		r.expect(t, 0)
		if run.Reason != c.reason && !(c.reason[0] == '(' && run.Reason == "1 test passed "+c.reason) || run.Counts.Tests != c.tests || !slices.Equal(run.Selection.RunnerArgs, c.runner) {
			t.Errorf("%s with %q: %d tests with %q: %s", c.args, c.run, run.Counts.Tests, run.Selection.RunnerArgs, run.Reason)
		}
	}
}

// A cloned repository's file has nothing executed, and no file read or written.
func TestAProjectsFileHasOnlyHarmlessArguments(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestOne", pass)})
	for args, says := range map[string]string{
		`["-exec", "touch x"]`:         "-exec can execute a program",
		`["-race", "--exec=touch x"]`:  "-exec can execute a program",
		`["-toolexec=./x"]`:            "-toolexec=./x is not a flag that plugin go declares",
		`["-vettool", "./x"]`:          "-vettool is not a flag that plugin go declares",
		`["-overlay=x.json"]`:          "-overlay can execute",
		`["-modfile", "x.mod"]`:        "-modfile can execute",
		`["-C", "/tmp"]`:               "-C is not a flag",
		`["-ldflags=-extld=./x"]`:      "-ldflags can execute",
		`["-coverprofile", "/tmp/x"]`:  "-coverprofile can execute",
		`["-tags", "-exec=./x"]`:       "-tags is followed by",
		`["-test.run=x"]`:              "is not a flag that plugin go declares",
		`["./a"]`:                      "is not a flag that plugin go declares",
		`["-args", "x"]`:               "-args is not a flag",
		`["--", "-exec=./x"]`:          "-- is not a flag",
		`["-run"]`:                     "-run needs a value",
		`["-update"]`:                  "tests write what they expect",
		`["-run", "One", "--run=Two"]`: "selects tests, and so does",
	} {
		w.write(files{".proctor.toml": "[run]\nargs = " + args + "\n"})
		for _, command := range []string{"run", "run --list"} {
			w.proctor(strings.Fields(command)...).expect(t, 2, ".proctor.toml:2: run.args: ", says)
		}
	}
}

func TestATableOfNoLanguageIsNamed(t *testing.T) {
	t.Parallel()
	entry := strings.Replace(misplacedEntry, `"go"`, `"gol"`, 1)
	w := newModule(t, files{".proctor-quarantine.toml": entry, "a/a_test.go": tests("a", "TestOne", pass), ".proctor.toml": "[run.gol]\nretries = 1\n[run.go]\nretries = 0\n"})
	run, _ := w.object("run")
	if run.Verdict != api.Passed || len(run.Warnings) != 2 || run.Warnings[0].Text != "[run.gol] in the project's settings names no language of this workspace" ||
		run.Warnings[1].Text != ".proctor-quarantine.toml has tests of no language of this workspace, which are not in quarantine: TestOld of \"gol\" in line 1" {
		t.Errorf("%+v", run.Warnings)
	}
}

func TestTheProjectsFileSetsTheTimeout(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestOne", fail), ".proctor.toml": "[run]\ntimeout = \"90m\"\n[run.go]\ntimeout = \"1h\"\n"})
	for _, c := range []struct {
		args []string
		want float64
	}{
		{[]string{"run"}, 3600}, {[]string{"run", "--timeout", "50s"}, 50}, {[]string{"run", "--timeout", "0"}, 0}, {[]string{"rerun"}, 3600}, {[]string{"rerun", "--timeout", "0"}, 0},
	} {
		if run, _ := w.object(c.args...); run.TimeoutS != c.want || run.Verdict != api.Failed {
			t.Errorf("%q: %g seconds, %s", c.args, run.TimeoutS, run.Verdict)
		}
	}
}
