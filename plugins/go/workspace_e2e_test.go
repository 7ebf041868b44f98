package gotest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
)

func TestRunsCoverTheModulesOfAWorkspaceAndDetectNamesTheRest(t *testing.T) {
	requireGo(t)
	const test = "package p\n\nimport \"testing\"\n\nfunc TestShared(t *testing.T) {}\nfunc TestOther(t *testing.T) {}\n"
	members := files{
		"go.work":  "go 1.20\n\nuse (\n\t./a\n\t./b\n)\n",
		"a/go.mod": "module example.com/a\n\ngo 1.20\n", "a/a_test.go": test, "a/sub/a_test.go": test,
		"b/go.mod": "module example.com/b\n\ngo 1.20\n", "b/b_test.go": test,
		"c/go.mod": "module example.com/c\n\ngo 1.20\n", "c/c_test.go": test,
	}
	withRoot := maps.Clone(members)
	withRoot["go.work"] = "go 1.20\n\nuse (\n\t.\n\t./a\n\t./b\n)\n"
	withRoot["go.mod"] = "module example.com/root\n\ngo 1.20\n"
	withRoot["root_test.go"] = test
	for _, tree := range []struct {
		name   string
		files  files
		suites []string
	}{
		{"without a root module", members, []string{"example.com/a", "example.com/a/sub", "example.com/b"}},
		{"with a root module", withRoot, []string{"example.com/a", "example.com/a/sub", "example.com/b", "example.com/root"}},
	} {
		for _, toolchain := range findToolchains(t) {
			t.Run(tree.name+" "+toolchain.name, func(t *testing.T) {
				ws := newWorkspace(t, tree.files)
				toolchain.use(ws)
				ws.Env["GOTOOLCHAIN"] = "local"
				d := newDetector(t)
				plan, err := d.TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: []string{"-vet=off"}})
				singleCommand(t, plan, err)
				result := runCommands(t, ws, plan.Commands)
				if diff := cmp.Diff(tree.suites, slices.Sorted(maps.Keys(result.suites))); diff != "" {
					t.Errorf("suites of the run differ (-want +got):\n%s\n%s", diff, result.text)
				}
				targets := []sdk.TestID{{Suite: "example.com/a", Test: "TestShared"}, {Suite: "example.com/b", Test: "TestOther"}}
				rerun, err := d.RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: targets, RunnerArgs: []string{"-vet=off"}})
				singleCommand(t, rerun, err)
				again := runCommands(t, ws, rerun.Commands)
				if diff := cmp.Diff(targets, again.leaves()); diff != "" {
					t.Errorf("tests of the rerun differ (-want +got):\n%s\n%s", diff, again.text)
				}
				detection, err := d.Detect(t.Context(), ws)
				if err != nil {
					t.Fatal(err)
				}
				if len(detection.Untested) != 1 || detection.Untested[0].Path != "c" {
					t.Errorf("module c is not tested, and nothing else: %v", detection.Untested)
				}
			})
		}
	}
}

func TestRunArgumentsReachTheTests(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod": "module example.com/m\n\ngo 1.20\n",
		"a/a_test.go": `package a

import (
	"flag"
	"testing"
)

var update = flag.Bool("update", false, "")
var dsn = flag.String("dsn", "", "")

func TestFlags(t *testing.T) {
	t.Logf("update=%v dsn=%s args=%q short=%v", *update, *dsn, flag.Args(), testing.Short())
}
`,
	})
	for args, want := range map[string]string{
		"-short":                     `update=false dsn= args=[] short=true`,
		"-update -short":             `update=true dsn= args=[] short=true`,
		"-dsn x -short ./a":          ``,
		"./a -dsn x -short":          `update=false dsn=x args=[] short=true`,
		"./a -dsn x -args -update y": `update=true dsn=x args=["y"] short=false`,
		"./a -v lit":                 `update=false dsn= args=["lit"] short=false`,
	} {
		plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: append([]string{"-vet=off"}, strings.Fields(args)...)})
		singleCommand(t, plan, err)
		result := runCommands(t, ws, plan.Commands)
		if !strings.Contains(result.text, want) {
			t.Errorf("%s: want %s in\n%s", args, want, result.text)
		}
	}
}
