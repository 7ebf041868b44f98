package gotest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// listKept lists, and reports whether what was printed before was read again.
func listKept(t *testing.T, req sdk.ListRequest) (got *listed, again bool) {
	t.Helper()
	plan, err := newDetector(t).ListCmd(t.Context(), req)
	command := singleCommand(t, plan, err)
	stdout, err := printed(t, req.Workspace, command)
	if err != nil {
		t.Fatalf("%q: %v", command.Argv, err)
	}
	return parseListingOf(t, req, command, sdk.Exit{}, stdout, "", 4096), command.Known
}

// printed returns what a command prints, which is nothing if that is known.
func printed(t *testing.T, ws sdk.Workspace, command sdk.Command) (string, error) {
	t.Helper()
	if command.Known {
		return "", nil
	}
	stdout, err := newProcess(t, ws, command).Output()
	return string(stdout), err
}

// A kept listing says what a new one would, whatever was edited since, and most edits of
// code leave it valid.
func TestAKeptListingIsWhatANewOneWouldBe(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	outer := newWorkspace(t, dependent)
	ws := outer
	ws.Root = filepath.Join(outer.Root, "m")
	ws.Tools["go"] = tool
	ws.Cache = filepath.Join(outer.Root, "cache")
	write := func(name, text string) func() {
		return func() { testfiles.WriteAll(t, ws.Root, files{name: text}) }
	}
	remove := func(name string) func() {
		return func() {
			if err := os.Remove(filepath.Join(ws.Root, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	const mid = "package mid\n\nimport _ \"example.com/m/low\"\n"
	for _, step := range []struct {
		name  string
		edit  func()
		valid bool
	}{
		{"at first", func() {}, false},
		{"nothing changed", func() {}, true},
		{"a function", write("mid/mid.go", mid+"\nfunc F() int { return 1 }\n"), true},
		{"its body", write("mid/mid.go", mid+"\nfunc F() int { return 2 } // import \"fmt\"\n"), true},
		{"an import", write("mid/mid.go", mid+"\nimport _ \"strings\"\n"), false},
		{"an import less", write("mid/mid.go", "package mid\n"), false},
		{"as before", write("mid/mid.go", mid), false},
		{"a test", write("alone/alone_test.go", "package alone"+testOf+"\nfunc TestTwo(t *testing.T) {}\n"), true},
		{"a test that does not compile", write("alone/alone_test.go", "package alone"+testOf+"\nfunc TestTwo(t *testing.T) {\n"), true},
		{"a file of tests", write("alone/b_test.go", "package alone\n"), false},
		{"one test file less", remove("alone/b_test.go"), false},
		{"a constraint", write("alone/alone_test.go", "//go:build windows\n\npackage alone"+testOf), false},
		{"the constraint goes", write("alone/alone_test.go", "package alone"+testOf), false},
		{"an embedded file", write("embed/data/b.txt", "b"), false},
		{"its content", write("embed/data/b.txt", "bb"), true},
		{"what is embedded", write("embed/embed.go", "package embed\n\nimport _ \"embed\"\n\n//go:embed one.txt\nvar x string\n"), false},
		{"a directive in a text", write("embed/embed.go", "package embed\n\nimport _ \"embed\"\n\nvar y = `\n//go:embed one.txt\nvar x string\n`\n"), false},
		{"the head of an assembly file", write("asm/asm_amd64.s", "//go:build !amd64\n\n"+dependent["m/asm/asm_amd64.s"]), false},
		{"a file that is in no package", write("notes.txt", "x"), true},
		{"test data", write("mid/testdata/x.go", "package x\n"), true},
		{"a package", write("new/deep/new.go", "package deep\n"), false},
		{"a nested module", write("new/go.mod", "module example.com/n\n"), false},
		{"in a replaced module", write("../other/o.go", "package o\n\nimport _ \"errors\"\n"), false},
		{"the module file", write("go.mod", "module example.com/m\n\ngo 1.21\n\nrequire example.com/o v0.0.0\n\nreplace example.com/o => ../other\n"), false},
		{"a workspace above", write("../go.work", "go 1.21\n\nuse ./m\n"), false},
		{"what it uses", write("../go.work", "go 1.21\n\nuse (\n\t./m\n\t./other\n)\n"), false},
		{"its version", write("../go.work", "go 1.22\n\nuse (\n\t./m\n\t./other\n)\n"), false},
	} {
		step.edit()
		for _, dependencies := range []bool{true, false} {
			req := sdk.ListRequest{Workspace: ws, Dependencies: dependencies}
			got, again := listKept(t, req)
			if again != step.valid {
				t.Errorf("%s: the kept listing is valid: %t, want %t", step.name, again, step.valid)
			}
			req.Workspace.Cache = ""
			want, _ := listKept(t, req)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(listed{})); diff != "" {
				t.Errorf("%s: dependencies %t (-new +kept):\n%s", step.name, dependencies, diff)
			}
		}
	}
}

// What depends on more than the sources of the workspace's modules is not kept.
func TestAListingThatDependsOnMoreIsNotKept(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		tree files
		args []string
		env  map[string]string
	}{
		"a package that cannot be loaded": {tree: files{"p/p_test.go": "package p\n\nimport _ \"example.com/none\"\n"}},
		"two packages in a directory":     {tree: files{"p/p.go": "package p\n", "p/q.go": "package q\n"}},
		"a package in test data":          {tree: files{"p/p.go": "package p\n\nimport _ \"example.com/m/testdata/q\"\n", "testdata/q/q.go": "package q\n"}},
		"an overlay":                      {tree: files{"p/p.go": "package p\n", "o.json": "{}"}, args: []string{"-overlay=o.json"}},
		"another module file":             {tree: files{"p/p.go": "package p\n", "other.mod": "module example.com/m\n"}, args: []string{"-modfile", "other.mod"}},
		"one in GOFLAGS":                  {tree: files{"p/p.go": "package p\n", "other.mod": "module example.com/m\n"}, env: map[string]string{"GOFLAGS": "'-modfile=other.mod'"}},
	} {
		ws := newWorkspace(t, test.tree)
		testfiles.WriteAll(t, ws.Root, files{"go.mod": "module example.com/m\n"})
		ws.Tools["go"], ws.Cache = tool, filepath.Join(ws.Root, ".cache")
		for name, value := range test.env {
			ws.Env[name] = value
		}
		for range 2 {
			if _, again := listKept(t, sdk.ListRequest{Workspace: ws, RunnerArgs: test.args, Dependencies: true}); again {
				t.Errorf("%s: it was kept", name)
			}
		}
	}
}

// A listing of sources that were edited meanwhile may be of any of their states.
func TestAListingIsNotKeptIfTheSourcesWereWrittenMeanwhile(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	const p = "package p\n"
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "p/p.go": p})
	ws.Tools["go"], ws.Cache = tool, filepath.Join(ws.Root, ".cache")
	req := sdk.ListRequest{Workspace: ws, Dependencies: true}
	plan, err := newDetector(t).ListCmd(t.Context(), req)
	command := singleCommand(t, plan, err)
	testfiles.WriteAll(t, ws.Root, files{"p/p.go": p + "\nimport _ \"strings\"\n"})
	stdout, err := newProcess(t, ws, command).Output()
	if err != nil {
		t.Fatal(err)
	}
	testfiles.WriteAll(t, ws.Root, files{"p/p.go": p})
	parseListingOf(t, req, command, sdk.Exit{}, string(stdout), "", 4096)
	if _, again := listKept(t, req); again {
		t.Error("what was listed in between is kept")
	}
	if _, again := listKept(t, req); !again {
		t.Error("the listing after that is not kept")
	}
}

func TestAListingThatIsNoLongerKeptIsAnError(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	ws := newWorkspace(t, dependent)
	ws.Cache, ws.Root = filepath.Join(ws.Root, "cache"), filepath.Join(ws.Root, "m")
	ws.Tools["go"] = tool
	req := sdk.ListRequest{Workspace: ws, Dependencies: true}
	listKept(t, req)
	plan, err := newDetector(t).ListCmd(t.Context(), req)
	command := singleCommand(t, plan, err)
	if err := os.RemoveAll(ws.Cache); err != nil || !command.Known {
		t.Fatalf("%v, %q is known: %t", err, command.Argv, command.Known)
	}
	got := parseListingOf(t, req, command, sdk.Exit{}, "", "", 4096)
	if len(got.errors) != 1 || !strings.HasPrefix(got.errors[0], "the listing that was kept is gone, list again: ") || len(got.suites) > 0 {
		t.Errorf("%q, %d suites", got.errors, len(got.suites))
	}
}

// composesKept reports whether a listing would read what is kept.
func composesKept(t *testing.T, ws sdk.Workspace) bool {
	t.Helper()
	plan, err := newDetector(t).ListCmd(t.Context(), sdk.ListRequest{Workspace: ws, Dependencies: true})
	return singleCommand(t, plan, err).Known
}

// Once there is a directory of vendored packages, the go command takes what is in it, or
// refuses to list.
func TestAListingIsNoLongerValidBesideVendoredPackages(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	module := files{
		"a/go.mod": "module example.com/a\n\ngo 1.22\n\nrequire example.com/o v0.0.0\n\nreplace example.com/o => ../o\n",
		"a/p.go":   "package a\n\nimport _ \"example.com/o\"\n", "o/go.mod": "module example.com/o\n", "o/o.go": "package o\n",
	}
	for name, test := range map[string]struct {
		root   string
		vendor func(dir string) error
	}{
		"in a module":                   {"a", func(dir string) error { return os.Mkdir(filepath.Join(dir, "a", "vendor"), 0o755) }},
		"behind a link":                 {"a", func(dir string) error { return os.Symlink(t.TempDir(), filepath.Join(dir, "a", "vendor")) }},
		"beside go.work, in no module":  {".", func(dir string) error { return os.Mkdir(filepath.Join(dir, "vendor"), 0o755) }},
		"above the module that is root": {"a", func(dir string) error { return os.Mkdir(filepath.Join(dir, "vendor"), 0o755) }},
	} {
		ws := newWorkspace(t, module)
		dir := ws.Root
		if name != "in a module" && name != "behind a link" {
			testfiles.WriteAll(t, dir, files{"go.work": "go 1.22\n\nuse ./a\n"})
		}
		ws.Root = filepath.Join(dir, test.root)
		ws.Tools["go"], ws.Cache = tool, filepath.Join(dir, ".cache")
		listKept(t, sdk.ListRequest{Workspace: ws, Dependencies: true})
		if !composesKept(t, ws) {
			t.Errorf("%s: nothing was kept", name)
		}
		if err := test.vendor(dir); err != nil {
			t.Fatal(err)
		}
		if composesKept(t, ws) {
			t.Errorf("%s: what is kept would still be printed", name)
		}
	}
}

// A package that embeds files beside it does not depend on the records of proctor and git,
// which change with each run, unless a pattern matches them.
func TestAListingOfAPackageThatEmbedsIsKeptWhereRecordsAre(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	for pattern, valid := range map[string]bool{
		"x.txt": true, "all:x.txt": true, "\"x.txt\"": true, "x*": true,
		"*": false, "all:*": false, "`*`": false, "x.txt [.x]*": false, "?.txt .records/*": false, `"\x2erecords/0"`: false,
	} {
		ws := newWorkspace(t, files{
			"go.mod": "module example.com/m\n\ngo 1.21\n", "x.txt": "x", ".records/0": "",
			"p.go": "package p\n\nimport \"embed\"\n\n//go:embed " + pattern + "\nvar x embed.FS\n",
		})
		ws.Tools["go"], ws.Cache = tool, filepath.Join(t.TempDir(), "cache")
		listKept(t, sdk.ListRequest{Workspace: ws, Dependencies: true})
		if !composesKept(t, ws) {
			t.Errorf("%s: nothing was kept", pattern)
		}
		testfiles.WriteAll(t, ws.Root, files{".records/1": ""})
		if got := composesKept(t, ws); got != valid {
			t.Errorf("%s: the listing is valid beside a new record: %t, want %t", pattern, got, valid)
		}
	}
}

// The order in which replaced modules are found is random.
func TestAListingOfManyReplacedModulesIsKept(t *testing.T) {
	requireGo(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	tree := files{"p/p.go": "package p\n", "go.mod": "module example.com/m\n"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		tree["go.mod"] += "replace example.com/" + name + " => ./" + name + "\n"
		tree[name+"/go.mod"] = "module example.com/" + name + "\n"
	}
	ws := newWorkspace(t, tree)
	ws.Tools["go"], ws.Cache = tool, filepath.Join(t.TempDir(), "cache")
	for range 5 {
		listKept(t, sdk.ListRequest{Workspace: ws, Dependencies: true})
	}
	for range 5 {
		if !composesKept(t, ws) {
			t.Fatal("it is not recognized")
		}
	}
}
