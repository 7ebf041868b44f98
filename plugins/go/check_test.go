package gotest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
)

func TestACheckBuildsWhatTheTestsNeed(t *testing.T) {
	t.Parallel()
	const vet = "go vet -atomic -bool -buildtags -directive -errorsas -ifaceassert -nilfunc -printf -slog -stringintconv -tests "
	for name, test := range map[string]struct {
		version, args, goflags string
		cover                  bool
		want                   string
	}{
		"plain":                  {version: "go1.26.8", want: vet + "./..."},
		"flags of the build":     {version: "go1.26.8", args: "-race -tags x -short -run X -p=1 ./...", want: vet + "-race -tags x -p=1 ./..."},
		"before vet was cached":  {version: "go1.25.4"},
		"coverage":               {version: "go1.26.8", cover: true},
		"the user's coverage":    {version: "go1.26.8", args: "-coverprofile=c.out"},
		"other checks":           {version: "go1.26.8", args: "-vet=all"},
		"no checks in GOFLAGS":   {version: "go1.26.8", goflags: "-vet=off"},
		"sources edited":         {version: "go1.26.8", goflags: "-fix"},
		"another output":         {version: "go1.26.8", goflags: "-json"},
		"an analyzer":            {version: "go1.26.8", goflags: "-copylocks"},
		"flags in GOFLAGS":       {version: "go1.26.8", goflags: "-mod=mod -count=1 '-tags=x y'", want: vet + "./..."},
		"another compiler":       {version: "go1.26.8", args: "-toolexec=x"},
		"everything built again": {version: "go1.26.8", args: "-a"},
	} {
		ws := newWorkspace(t, files{"go.mod": "module example.com/m\n\ngo 1.24\n", "a_test.go": "package m\n"})
		setToolchain(t, &ws, test.version)
		ws.Env = map[string]string{"GOFLAGS": test.goflags}
		plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, RunnerArgs: strings.Fields(test.args), Cover: test.cover})
		if err != nil {
			t.Fatal(name, err)
		}
		got := ""
		if plan.Check != nil {
			got = strings.Join(plan.Check.Argv, " ")
		}
		if diff := cmp.Diff(test.want, got); diff != "" || plan.Check != nil && !plan.Check.Prepares {
			t.Errorf("%s: the check differs (-want +got):\n%s", name, diff)
		}
	}
}

func TestACheckTellsOfEachPackageTheFirstError(t *testing.T) {
	t.Parallel()
	var found suitesFound
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n\ngo 1.24\n"})
	p := newDetector(t).ParseTestFailures(t.Context(), sdk.RunInfo{Workspace: ws, Command: sdk.Command{Argv: []string{"go", "vet", "./..."}, Prepares: true}}, &found)
	p.Write(sdk.Stderr, []byte("go: downloading example.com/x v1.0.0\nq/q.go:2:8: no required module provides package example.com/q; to add it:\n\tgo get example.com/q\n"+
		"r/r.go:2:8: package nope is not in std (/go/src/nope)\ny/y_test.go:16:39: fmt.Printf format %d has arg\n"+
		"# example.com/m/a\n# [example.com/m/a]\nvet: a/a_test.go:5:28: undefined: one\n"+
		"# example.com/m/b\nb/b.go:3:23: cannot use \"x\"\n\thave int\nb/b.go:4:23: undefined: y\n# example.com/m/b\n# [example.com/m/b]\nvet: b/b.go:3:23: cannot use \"x\"\n"+
		"# example.com/m/w\nw/c.c:1:2: warning: old interface [-Wcpp]\nc/c.go:1:1: Errorf format %d\n# example.com/m_test\n# [example.com/m_test]\nvet: ./m_test.go:5:28: undefined: two\n# example.com/m/d_test\nd_test/d_test.go:1:1: undefined: d"))
	p.Close(sdk.Exit{Code: 1})
	want := "example.com/m/q: q/q.go:2:8: no required module provides package example.com/q; to add it:\nexample.com/m/r: r/r.go:2:8: package nope is not in std (/go/src/nope)\nexample.com/m/y: y/y_test.go:16:39: fmt.Printf format %d has arg\nexample.com/m/a: a/a_test.go:5:28: undefined: one\nexample.com/m/b: b/b.go:3:23: cannot use \"x\"\n" +
		"example.com/m/c: c/c.go:1:1: Errorf format %d\nexample.com/m: ./m_test.go:5:28: undefined: two\nexample.com/m/d_test: d_test/d_test.go:1:1: undefined: d\n"
	if diff := cmp.Diff(want, found.text.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// suitesFound lists suites that were not built.
type suitesFound struct {
	sdk.Sink // nothing else is reported
	text     strings.Builder
}

func (f *suitesFound) Suite(r sdk.SuiteResult) {
	if r.Outcome == sdk.SuiteBuildFailed {
		f.text.WriteString(r.Suite + ": " + r.Reason + "\n")
	}
}
