package gotest_test

import (
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

const minute = time.Minute

func TestTestCmdComposesTheCommand(t *testing.T) {
	module := files{"go.mod": "module example.com/m\n\ngo 1.24\n"}
	packageA := files{"go.mod": module["go.mod"], "a/a_test.go": "package a\n"}
	for _, test := range []struct {
		name      string
		tree      files
		version   string
		env       map[string]string
		selection sdk.Selection
		args      string
		deadline  time.Duration
		want      string
	}{
		{"plain", module, "go1.26.8", nil, sdk.Selection{}, "", 5 * minute, "go test -json -count=1 -fullpath -timeout=4m50s ./..."},
		{"no deadline", module, "go1.26.8", nil, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath ./..."},
		{"short deadline", module, "go1.26.8", nil, sdk.Selection{}, "", time.Second, "go test -json -count=1 -fullpath -timeout=900ms ./..."},
		{"before -fullpath", module, "go1.20.14", nil, sdk.Selection{}, "", 0, "go test -json -count=1 ./..."},
		{"unknown version", module, "", nil, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath ./..."},
		{"named toolchain", module, "go1.26.8", map[string]string{"GOTOOLCHAIN": "go1.20.14"}, sdk.Selection{}, "", 0, "go test -json -count=1 ./..."},
		{"filter", module, "", nil, sdk.Selection{TestPattern: "A|B"}, "", 0, "go test -json -count=1 -fullpath -run A|B ./..."},
		{"packages", packageA, "", nil, sdk.Selection{Suites: []string{"./a", "example.com/m/b/..."}}, "", 0, "go test -json -count=1 -fullpath ./a example.com/m/b/..."},
		{"flags", module, "", nil, sdk.Selection{}, "-race -tags x -short", 0, "go test -json -count=1 -fullpath -race -tags x -short ./..."},
		{"user's count and timeout win", module, "", nil, sdk.Selection{}, "-count=3 -timeout 1h", minute, "go test -json -fullpath -count=3 -timeout 1h ./..."},
		{"user's json and fullpath", module, "", nil, sdk.Selection{}, "-json -fullpath -v", 0, "go test -json -count=1 -fullpath ./..."},
		{"user's run", module, "", nil, sdk.Selection{}, "-run X", 0, "go test -json -count=1 -fullpath -run X ./..."},
		{"args stay last", module, "", nil, sdk.Selection{}, "-v -args -update x", 0, "go test -json -count=1 -fullpath ./... -args -update x"},
		{"flags of the test binary behind the packages", module, "", nil, sdk.Selection{}, "-update -race", 0, "go test -json -count=1 -fullpath -race ./... -update"},
		{"packages among the arguments", files{"go.mod": module["go.mod"], "a/a_test.go": "package a\n", "b/b_test.go": "package b\n"}, "", nil, sdk.Selection{}, "-race ./a ./b", 0, "go test -json -count=1 -fullpath -race ./a ./b"},
		{"user's exec", module, "", nil, sdk.Selection{}, "-exec qemu", 0, "go test -json -count=1 -fullpath -exec qemu ./..."},
		{"workspace", files{"go.work": "use ./a\nuse ./b\n", "a/go.mod": "module a.example\n", "b/go.mod": "module b.example\n"}, "go1.26.8", nil, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath work"},
		{"workspace before the pattern work", files{"go.work": "use ./a\nuse ./b\n", "a/go.mod": "module a.example\n", "b/go.mod": "module b.example\n"}, "go1.24.1", map[string]string{"GOTOOLCHAIN": "local"}, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath ./a/... ./b/..."},
		{"workspace with a root module", files{"go.work": "use (\n.\n./a\n)\n", "go.mod": "module r.example\n", "a/go.mod": "module a.example\n"}, "go1.23.1", map[string]string{"GOTOOLCHAIN": "local"}, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath ./... ./a/..."},
		{"workspace of the root module only", files{"go.work": "use .\n", "go.mod": "module r.example\n"}, "go1.26.8", nil, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath ./..."},
		{"workspace switched off", files{"go.work": "use (\n.\n./a\n)\n", "go.mod": "module r.example\n", "a/go.mod": "module a.example\n"}, "go1.26.8", map[string]string{"GOWORK": "off"}, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath ./..."},
		{"broken module file", files{"go.mod": "modul\n"}, "go1.26.8", nil, sdk.Selection{}, "", 0, "go test -json -count=1 -fullpath ./..."},
		{"module named like a file", module, "", nil, sdk.Selection{Suites: []string{"example.com/nats.go"}}, "", 0, "go test -json -count=1 -fullpath example.com/nats.go"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, test.tree)
			if test.version != "" {
				setToolchain(t, &ws, test.version)
			}
			ws.Env = test.env
			for name := range test.tree {
				if path.Base(name) == "go.mod" {
					testfiles.WriteAll(t, ws.Root, files{path.Dir(name) + "/any.go": ""})
				}
			}
			plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{
				Workspace: ws, Selection: test.selection, RunnerArgs: strings.Fields(test.args), Deadline: test.deadline,
			})
			command := singleCommand(t, plan, err)
			if diff := cmp.Diff(test.want, strings.Join(command.Argv, " ")); diff != "" {
				t.Errorf("command differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTestCmdLeavesTheCacheAloneUnlessAllowed(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"", "go test -json -fullpath ./..."},
		{"-race", "go test -json -fullpath -race ./..."},
		{"-count=1", "go test -json -fullpath -count=1 ./..."},
	} {
		ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "a_test.go": "package m\n"})
		plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: strings.Fields(test.args), AllowCached: true})
		if got := strings.Join(singleCommand(t, plan, err).Argv, " "); got != test.want {
			t.Errorf("%q: %s, want %s", test.args, got, test.want)
		}
	}
}

func TestTestCmdRejectsWhatWouldBreakARun(t *testing.T) {
	for _, test := range []struct {
		name      string
		selection sdk.Selection
		args      string
		goflags   string
		reason    sdk.Reason
		says      string
	}{
		{"compile only", sdk.Selection{}, "-c", "", sdk.InvalidArguments, "-c"},
		{"list", sdk.Selection{}, "-list .", "", sdk.InvalidArguments, "-list"},
		{"count of nothing", sdk.Selection{}, "-count=0", "", sdk.InvalidArguments, "runs nothing"},
		{"dry run", sdk.Selection{}, "-n", "", sdk.InvalidArguments, "-n"},
		{"install", sdk.Selection{}, "-i", "", sdk.InvalidArguments, "-i"},
		{"help", sdk.Selection{}, "-h", "", sdk.InvalidArguments, "-h"},
		{"directory", sdk.Selection{}, "-C sub", "", sdk.InvalidArguments, "-C"},
		{"text output", sdk.Selection{}, "-json=false", "", sdk.InvalidArguments, "-json=false"},
		{"flag without a value", sdk.Selection{}, "-tags", "", sdk.InvalidArguments, "-tags"},
		{"hidden test flag", sdk.Selection{}, "-args -test.run=X", "", sdk.InvalidArguments, "-args"},
		{"narrowing GOFLAGS", sdk.Selection{}, "", "-mod=mod -run=X", sdk.InvalidArguments, "GOFLAGS"},
		{"dry GOFLAGS", sdk.Selection{}, "", "-n", sdk.InvalidArguments, "GOFLAGS"},
		{"two filters", sdk.Selection{TestPattern: "A"}, "-run B", "", sdk.InvalidSelection, "-run"},
		{"two lists of packages", sdk.Selection{Suites: []string{"./a"}}, "./b", "", sdk.InvalidSelection, "./b"},
		{"flag as a package", sdk.Selection{Suites: []string{"-exec=rm"}}, "", "", sdk.InvalidSelection, "-exec=rm"},
		{"empty package", sdk.Selection{Suites: []string{""}}, "", "", sdk.InvalidSelection, "./..."},
		{"file", sdk.Selection{Suites: []string{"./a_test.go"}}, "", "", sdk.InvalidSelection, "a_test.go"},
		{"file among the arguments", sdk.Selection{}, "a_test.go", "", sdk.InvalidSelection, "a_test.go"},
		{"no such directory", sdk.Selection{Suites: []string{"./nosuch/..."}}, "", "", sdk.InvalidSelection, `"./nosuch/..." matches no package: there is no directory ./nosuch`},
		{"no such directory among the arguments", sdk.Selection{}, "./... ./nosuch", "", sdk.InvalidSelection, "./nosuch"},
		{"outside", sdk.Selection{Suites: []string{"../nosuch"}}, "", "", sdk.InvalidSelection, "../nosuch"},
		{"broken filter", sdk.Selection{TestPattern: "A/("}, "", "", sdk.InvalidSelection, "A/("},
		{"path pattern", sdk.Selection{PathPattern: "x"}, "", "", sdk.InvalidSelection, "a pattern of test names"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "a_test.go": "package m\n"})
			ws.Env["GOFLAGS"] = test.goflags
			_, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{
				Workspace: ws, Selection: test.selection, RunnerArgs: strings.Fields(test.args),
			})
			if refusal, ok := errors.AsType[*sdk.Error](err); !ok || refusal.Reason != test.reason || !strings.Contains(refusal.Message, test.says) {
				t.Errorf("error is %v; want %s, naming %q", err, test.reason, test.says)
			}
		})
	}
}

func TestShortInGOFLAGSNarrowsWhatDoesNotReplaceIt(t *testing.T) {
	for _, test := range []struct{ goflags, args, want string }{
		{"-short", "", "-short in GOFLAGS"},
		{"-mod=mod --test.short=true", "-v", "-short in GOFLAGS"},
		{"-short -short=false", "", ""},
		{"-short", "-short=false", ""},
		{"-short", "-short", ""}, // the argument is named
		{"-count=1", "", ""},
	} {
		ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "a_test.go": "package m\n"})
		ws.Env["GOFLAGS"] = test.goflags
		plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: strings.Fields(test.args)})
		if got := strings.Join(plan.NarrowedBy, ", "); err != nil || got != test.want {
			t.Errorf("GOFLAGS=%q %s: narrowed by %q, want %q (%v)", test.goflags, test.args, got, test.want, err)
		}
	}
}

func TestTestCmdReportsWhetherSubtestsAreSelected(t *testing.T) {
	for _, test := range []struct {
		filter, args string
		want         bool
	}{
		{"TestA", "", false},
		{"TestA/x", "", true},
		{"Test[/]", "", false},
		{"", "-run TestA/x", true},
		{"", "-skip TestA/x", true},
		{"TestA", "-skip TestB", false},
	} {
		plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{
			Workspace:  newWorkspace(t, files{"go.mod": "module example.com/m\n", "any.go": ""}),
			Selection:  sdk.Selection{TestPattern: test.filter},
			RunnerArgs: strings.Fields(test.args),
		})
		if got := singleCommand(t, plan, err).SelectsInsideTests; got != test.want {
			t.Errorf("filter %q, arguments %q: %v, want %v", test.filter, test.args, got, test.want)
		}
	}
}
