package gotest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestRerunCmdBuildsSuitesInTheSameCommand(t *testing.T) {
	for _, test := range []struct {
		name, targets, build string
		want                 []string
	}{
		{"beside a test", "a:TestAlpha", "b c", []string{"-run ^TestAlpha$ a b c"}},
		{"no expression of the others selects anything there", "a:TestAlpha b:TestGamma", "c", []string{"-run ^(TestAlpha|TestGamma)$ a b c"}},
		{"the same test is there too", "a:TestShared", "c", []string{"-run ^$ -exec PLUGIN exec-helper a c {run a=^TestShared$ c=^$}"}},
		{"beside a whole suite", "a", "c", []string{"-run ^$ -exec PLUGIN exec-helper a c {run a= c=^$}"}},
		{"beside a whole suite and a test", "a b:TestGamma", "c", []string{"-run ^$ -exec PLUGIN exec-helper a b c {run a= b=^TestGamma$ c=^$}"}},
		{"alone", "", "a b", []string{"-run ^$ a b"}},
		{"beside a benchmark", "a:BenchmarkA", "b", []string{"-run ^$ b", "-run ^$ -bench ^BenchmarkA$ a"}},
		{"what runs is built", "a:TestAlpha", "a a", []string{"-run ^TestAlpha$ a"}},
		{"gone, or no package", "a:TestAlpha", "gone -x.y ./...", []string{"-run ^TestAlpha$ a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, threePackages)
			req := sdk.RerunRequest{Workspace: ws, Targets: parseIDs(test.targets)}
			for _, id := range parseIDs(test.build) {
				req.AlsoBuild = append(req.AlsoBuild, id.Suite)
			}
			plan, err := newDetector(t).RerunCmd(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var targets []sdk.TestID
			for _, command := range plan.Commands {
				got = append(got, formatCommand(t, ws, command))
				targets = append(targets, command.Targets...)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("commands differ (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(sortIDs(req.Targets), sortIDs(targets)); diff != "" {
				t.Errorf("targets differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildingASuiteRunsNoTestsAndFailsIfItDoesNotBuild(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod":             "module example.com/m\n\ngo 1.20\n",
		"a/a_test.go":        "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc TestOther(t *testing.T) { t.Error() }\n",
		"fine/f_test.go":     "package fine\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Error() }\n",
		"none/none.go":       "package none\n",
		"broken/b.go":        "package broken\n\nvar x int = \"\"\n",
		"broken/b_test.go":   "package broken" + testOf,
		"vetted/v_test.go":   "package vetted\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestIt(t *testing.T) { fmt.Printf(\"%d\", \"x\") }\n",
		"starts/s_test.go":   "package starts\n\nimport \"testing\"\n\nfunc init() { panic(\"at the start\") }\n\nfunc TestIt(t *testing.T) {}\n",
		"example/e_test.go":  "package example\n\nimport \"fmt\"\n\nfunc Example() {\n\tfmt.Println(1)\n\t// Output: 2\n}\n",
		"fuzzing/fu_test.go": "package fuzzing\n\nimport \"testing\"\n\nfunc FuzzX(f *testing.F) { f.Error() }\n",
	})
	for _, targets := range []string{"a:TestA", "a:TestA a:TestOther/x", ""} {
		req := sdk.RerunRequest{Workspace: ws, Targets: parseIDs(targets)}
		for name := range strings.FieldsSeq("fine none broken vetted starts example fuzzing") {
			req.AlsoBuild = append(req.AlsoBuild, "example.com/m/"+name)
		}
		d := newDetector(t)
		plan, err := d.RerunCmd(t.Context(), req)
		command := singleCommand(t, plan, err)
		cmd := newProcess(t, ws, command)
		// It is vetted, as a user's is.
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimPrefix(testbin.GoFlags(), "-vet=off"))
		output, _ := cmd.Output() // It fails, as suites do.
		recording := plugintest.Stdout("rerun", output, sdk.Exit{Code: cmd.ProcessState.ExitCode()})
		recording.Run = sdk.RunInfo{Workspace: ws, Command: command}
		got := plugintest.Parse(t, plugintest.Start(t, d, d.Description()), recording, plugintest.WholeChunks)
		outcomes := map[string]sdk.SuiteOutcome{}
		for _, suite := range got.Suites {
			outcomes[suite.Suite] = suite.Outcome
		}
		want := map[string]sdk.SuiteOutcome{
			"fine": sdk.SuiteNoTests, "none": sdk.SuiteNoTests, "example": sdk.SuiteNoTests, "fuzzing": sdk.SuiteNoTests,
			"broken": sdk.SuiteBuildFailed, "vetted": sdk.SuiteBuildFailed, "starts": sdk.SuiteAborted,
		}
		for suite, status := range want {
			if outcomes["example.com/m/"+suite] != status {
				t.Errorf("targets %q: %s ended as %v, want %v", targets, suite, outcomes["example.com/m/"+suite], status)
			}
		}
		for _, test := range got.Tests {
			if test.Suite != "example.com/m/a" {
				t.Errorf("targets %q: %v ran", targets, test.TestID)
			}
		}
	}
}
