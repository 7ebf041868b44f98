package gotest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/sdk"
)

// profileOf parses a profile as that of a run.
func profileOf(t *testing.T, ws sdk.Workspace, text string) measured {
	t.Helper()
	scratch := t.TempDir()
	testfiles.WriteAll(t, scratch, files{"cover.out": text})
	found := measured{suites: map[string]sdk.SuiteCoverage{}}
	readCoverage(t, ws, sdk.Command{Covers: true}, scratch, &found)
	return found
}

func TestProfileOfARunIsReadByPackage(t *testing.T) {
	const plain = "package p\n"
	ws := newWorkspace(t, files{
		"go.mod": "module example.com/m\n", "m.go": plain, "m_test.go": plain, "z.go": plain,
		"a/a.go": plain, "a/a_test.go": plain, "a/gen.go": "package p\n\n//line x.y:1\n",
		"idle/i.go": plain, "idle/i_test.go": plain, "untested/u.go": plain,
	})
	found := profileOf(t, ws, `mode: set
example.com/m/z.go:1.2,3.4 1 1
example.com/m/a/a.go:5.6,7.8 2 0
example.com/m/a/a.go:1.2,3.4 1 1
example.com/m/a/gen.go:1.2,3.4 1 1
example.com/m/a/gen.y:1.0,3.0 1 1
example.com/m/m.go:1.2,3.4 1 0
example.com/m/idle/i.go:1.2,3.4 1 0
example.com/m/untested/u.go:1.2,3.4 1 0
example.com/other/o.go:1.2,3.4 1 1
`)
	if len(found.errors) > 0 {
		t.Errorf("errors %q", found.errors)
	}
	got := map[string]string{}
	for name, suite := range found.suites {
		var files []string
		for _, file := range suite.Files {
			files = append(files, file.File)
		}
		got[name] = strings.Join(files, " ") + " | " + startLines(suite, suite.Whole)
		if suite.Granularity != sdk.CoveragePerSuite || suite.Why == "" {
			t.Errorf("%+v", suite)
		}
	}
	want := map[string]string{
		"example.com/m":      "m.go z.go | z.go:1",
		"example.com/m/a":    "a/a.go | a/a.go:1",
		"example.com/m/idle": "idle/i.go | ",
		"example.com/other":  " | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("suites differ (-want +got):\n%s", diff)
	}
}

func TestCaseIsCoveredFromItsKeywordOn(t *testing.T) {
	const source = "package p\n\nfunc F(x any) {\n\tswitch x {\n\tcase 1,\n\t\t7: // seven\n\tcase 2, \"a:b\",\n\t\tfunc() any {\n\t\t\treturn 3\n\t\t}():\n\tcase 4:\n\t}\n\tselect {\n\tcase <-make(\n\t\tchan int):\n\t}\n}\n"
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "m.go": source, "m_test.go": "package p\n"})
	suite := profileOf(t, ws, `mode: set
example.com/m/m.go:3.15,4.11 1 1
example.com/m/m.go:6.5,6.5 0 1
example.com/m/m.go:8.14,9.13 1 1
example.com/m/m.go:10.7,10.7 0 1
example.com/m/m.go:11.9,11.9 0 1
example.com/m/m.go:15.13,15.13 0 1
`).suites["example.com/m"]
	if got, want := startLines(suite, suite.Whole), "m.go:3 m.go:5 m.go:8 m.go:10 m.go:11 m.go:14"; got != want {
		t.Errorf("blocks begin at %s, want %s", got, want)
	}
}

func TestDamagedProfileIsReportedAndReadAsFarAsPossible(t *testing.T) {
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "m.go": "package m\n"})
	found := profileOf(t, ws, "mode: set\nexample.com/m/m.go:1.2,3.4 1 1\nexample.com/m/m.go:5.2,6")
	if len(found.errors) != 1 || !strings.Contains(found.errors[0], "line 3") {
		t.Errorf("errors %q", found.errors)
	}
	if suite := found.suites["example.com/m"]; startLines(suite, suite.Whole) != "m.go:1" {
		t.Errorf("%+v", suite)
	}
}

func TestMissingCoverageIsReported(t *testing.T) {
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n"})
	for _, test := range []struct {
		command sdk.Command
		tree    files
		says    string
	}{
		{sdk.Command{}, nil, "left no coverage profile"},
		{sdk.Command{Env: map[string]string{testexec.TableVariable: "x"}}, nil, "cannot read what"},
		{
			sdk.Command{Env: map[string]string{testexec.TableVariable: "x"}},
			files{"tests.json": `{"packages":[{"dir":"/x","suite":"p"}]}`, "coverage/0/run/profile": "mode: set\n"}, "p was not measured: measuring ended while",
		},
		{
			sdk.Command{Env: map[string]string{testexec.TableVariable: "x"}},
			files{"tests.json": `{"packages":[{"dir":"/x","suite":"p"}]}`, "coverage/0.measured": "nonsense"}, "p was not measured: ",
		},
	} {
		scratch := t.TempDir()
		testfiles.WriteAll(t, scratch, test.tree)
		found := measured{suites: map[string]sdk.SuiteCoverage{}}
		readCoverage(t, ws, test.command, scratch, &found)
		if len(found.errors) != 1 || !strings.Contains(found.errors[0], test.says) || len(found.suites) > 0 {
			t.Errorf("errors %q, suites %v; want %q", found.errors, found.suites, test.says)
		}
	}
}

func TestSuiteThatTheDeadlineKeptFromBeingMeasuredIsCut(t *testing.T) {
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n"})
	scratch := t.TempDir()
	testfiles.WriteAll(t, scratch, files{
		"tests.json": `{"packages":[{"dir":"/x","suite":"p"},{"dir":"/y","suite":"q"}]}`, "coverage/0/run/profile": "mode: set\n",
	})
	for _, timedOut := range []bool{true, false} {
		found := measured{suites: map[string]sdk.SuiteCoverage{}}
		req := sdk.CoverageRequest{
			Workspace: ws, Command: sdk.Command{Env: map[string]string{testexec.TableVariable: "x"}}, Scratch: scratch,
			Exit: sdk.Exit{Code: -1, Signal: "SIGKILL", TimedOut: timedOut},
		}
		if err := newDetector(t).ParseCoverage(t.Context(), req, &found); err != nil {
			t.Fatal(err)
		}
		for _, suite := range []string{"p", "q"} {
			if got := found.suites[suite]; got.Cut != timedOut || timedOut && got.Granularity != sdk.CoverageNone {
				t.Errorf("timed out %v: %+v", timedOut, got)
			}
		}
	}
}

func TestRunIsMeasuredUnlessTheUserMeasuresIt(t *testing.T) {
	for _, test := range []struct {
		args, goflags, version string
		covers                 bool
	}{
		{"", "", "go1.26.8", true},
		{"-race -cover", "-covermode=atomic -coverprofile=", "go1.26.8", true},
		{"-coverprofile=x", "", "go1.26.8", false},
		{"-test.coverprofile x", "", "go1.26.8", false},
		{"-coverpkg=./...", "", "go1.26.8", false},
		{"", "-coverprofile=x", "go1.26.8", false},
		{"-fuzz=FuzzA", "", "go1.26.8", false},
		{"", "", "go1.25.3", true},
		{"", "", "go1.24.3", false}, // go.mod wants 1.25, which is fetched
	} {
		ws := newWorkspace(t, files{"go.mod": "module example.com/m\n\ngo 1.25\n", "a_test.go": "package m\n"})
		setToolchain(t, &ws, test.version)
		ws.Env["GOFLAGS"] = test.goflags
		for _, cover := range []bool{true, false} {
			plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: strings.Fields(test.args), Cover: cover})
			command := singleCommand(t, plan, err)
			has := strings.Contains(strings.Join(command.Argv, " "), "-coverprofile={scratch}/cover.out")
			if want := cover && test.covers; command.Covers != want || has != want || (len(plan.Warnings) > 0) != (cover && !test.covers) {
				t.Errorf("%+v, cover %v: %+v", test, cover, plan)
			}
		}
	}
}

func TestIndexCmdComposesTheCommand(t *testing.T) {
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "a/a_test.go": "package a\n\nfunc TestA() {}\n"})
	setToolchain(t, &ws, "go1.26.8")
	for _, test := range []struct{ args, goflags, want string }{
		{"", "", "go test -json -count=1 -fullpath -timeout=0 -vet=off -cover -covermode=set -coverpkg=./...,os -exec PLUGIN example.com/m/a"},
		{
			"-race -tags x -short -run A -count=3 -vet=all -timeout 3s -coverprofile x -v -update -args -x", "",
			"go test -json -count=1 -fullpath -timeout=0 -vet=off -cover -covermode=atomic -coverpkg=./...,os -exec PLUGIN -race -tags x -short example.com/m/a -update -args -x",
		},
		{
			"", "-race -coverprofile=x",
			"go test -json -count=1 -fullpath -timeout=0 -vet=off -cover -covermode=atomic -coverpkg=./...,os -coverprofile= -exec PLUGIN example.com/m/a",
		},
		{
			"-exec 'a b'", "",
			"go test -json -count=1 -fullpath -timeout=0 -vet=off -cover -covermode=set -coverpkg=./...,os -exec PLUGIN 'a b' example.com/m/a",
		},
	} {
		ws.Env["GOFLAGS"] = test.goflags
		args := strings.Fields(test.args)
		if test.args == "-exec 'a b'" {
			args = []string{"-exec", "'a b'"}
		}
		plan, err := newDetector(t).IndexCmd(t.Context(), sdk.IndexRequest{Workspace: ws, Suites: []string{"example.com/m/a", "elsewhere.com/b"}, RunnerArgs: args})
		command := singleCommand(t, plan, err)
		got := strings.ReplaceAll(strings.Join(command.Argv, " "), testBinary(t)+" exec-helper", "PLUGIN")
		if diff := cmp.Diff(test.want, got); diff != "" || !command.Covers || len(plan.Warnings) != 1 {
			t.Errorf("command differs, covers %v, warnings %q (-want +got):\n%s", command.Covers, plan.Warnings, diff)
		}
	}
}

func TestIndexCmdRejectsWhatItCannotDo(t *testing.T) {
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n"})
	for _, test := range []struct {
		plugin string
		args   []string
	}{{"/no/such/plugin", nil}, {testBinary(t), []string{"-c"}}} {
		_, err := detectorAt(test.plugin).IndexCmd(t.Context(), sdk.IndexRequest{Workspace: ws, Suites: []string{"example.com/m"}, RunnerArgs: test.args})
		if refusal, ok := errors.AsType[*sdk.Error](err); !ok || refusal.Reason != sdk.InvalidArguments {
			t.Errorf("plugin %s, arguments %q: error is %v", test.plugin, test.args, err)
		}
	}
}
