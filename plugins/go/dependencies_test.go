package gotest_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

const testOf = "\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {}\n"

// dependent is a module with every way in which a package can depend on a file.
var dependent = files{
	"m/go.mod":        "module example.com/m\n\ngo 1.20\n\nrequire example.com/o v0.0.0\n\nreplace example.com/o => ../other\n",
	"other/go.mod":    "module example.com/o\n\ngo 1.20\n",
	"other/o.go":      "package o\n",
	"other/o_test.go": "package o" + testOf,
	"m/low/low.go":    "package low\n\nimport _ \"example.com/o\"\n",
	"m/low/win.go":    "//go:build windows\n\npackage low\n",
	"m/low/w_test.go": "//go:build windows\n\npackage low\n",
	// The external tests of low import mid, which imports low.
	"m/low/low_test.go":       "package low" + testOf,
	"m/low/x_test.go":         "package low_test\n\nimport _ \"example.com/m/mid\"\n\nfunc ExampleX() {\n\t// Output:\n}\n",
	"m/mid/mid.go":            "package mid\n\nimport _ \"example.com/m/low\"\n",
	"m/top/top_test.go":       "package top\n\nimport (\n\t_ \"embed\"\n\t\"testing\"\n\n\t_ \"example.com/m/mid\"\n)\n\n//go:embed t.txt\nvar text string\n\nfunc TestTop(t *testing.T) {}\n",
	"m/top/t.txt":             "t",
	"m/embed/embed.go":        "package embed\n\nimport \"embed\"\n\n//go:embed data/*.txt one.txt all:tree\nvar x embed.FS\n\n//go:embed pages/*\nvar y embed.FS\n",
	"m/embed/one.txt":         "1",
	"m/embed/data/a.txt":      "a",
	"m/embed/tree/sub/.b.txt": "b",
	"m/embed/pages/p/x.html":  "x",
	"m/asm/asm.go":            "package asm\n\nfunc F()\n",
	"m/asm/asm_amd64.s":       "#include \"textflag.h\"\nTEXT ·F(SB),NOSPLIT,$0\n\tRET\n",
	"m/asm/asm.h":             "#define X 1\n",
	"m/asm/asm_test.go":       "package asm" + testOf,
	"m/alone/alone_test.go":   "package alone" + testOf,
}

// closure returns everything that a suite is built from.
func (l *listed) closure(suite string) (files, patterns []string) {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		if part, known := l.parts[name]; known && !seen[name] {
			seen[name] = true
			files, patterns = append(files, part.Files...), append(patterns, part.Patterns...)
			for _, need := range part.Needs {
				visit(need)
			}
		}
	}
	for need := range strings.SplitSeq(l.needs[suite], ", ") {
		visit(need)
	}
	slices.Sort(files)
	slices.Sort(patterns)
	return slices.Compact(files), slices.Compact(patterns)
}

// ownFiles leaves out files of the toolchain and of modules, and the root.
func ownFiles(root string, names []string) string {
	var kept []string
	for _, name := range names {
		if base := filepath.Base(name); base != "VERSION" && base != "go.mod" {
			kept = append(kept, strings.TrimPrefix(name, root+"/"))
		}
	}
	return strings.Join(kept, " ")
}

func listDependencies(t *testing.T, ws sdk.Workspace, args ...string) *listed {
	t.Helper()
	return listAs(t, sdk.ListRequest{Workspace: ws, RunnerArgs: args, Dependencies: true})
}

func TestDependenciesAreAllFilesThatASuiteIsBuiltFrom(t *testing.T) {
	requireGo(t)
	outer := newWorkspace(t, dependent)
	ws := outer
	ws.Root = filepath.Join(outer.Root, "m")
	got := listDependencies(t, ws)
	if len(got.errors) > 0 || len(got.opaque) > 0 {
		t.Fatalf("errors %q, opaque %q", got.errors, got.opaque)
	}
	if plain := runListing(t, ws, sdk.Selection{}); cmp.Diff(plain.suites, got.suites) != "" {
		t.Errorf("the suites differ from those of a plain list: %s", cmp.Diff(plain.suites, got.suites))
	}
	// Packages that the go command compiles only for tests are not parts.
	for name := range got.parts {
		if strings.HasSuffix(name, ".test") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, ".test]") {
			t.Errorf("%s is a part", name)
		}
	}
	const low = "low/low.go low/win.go"
	for suite, want := range map[string]string{
		"alone": "alone/alone_test.go",
		"low":   "other/o.go low/low.go low/low_test.go low/w_test.go low/win.go low/x_test.go mid/mid.go",
		"mid":   "other/o.go " + low + " mid/mid.go",
		"top":   "other/o.go " + low + " mid/mid.go top/t.txt top/top_test.go",
		"embed": "embed/data/a.txt embed/embed.go embed/one.txt embed/pages/p/x.html embed/tree/sub/.b.txt",
		"asm":   "asm/asm.go asm/asm.h asm/asm_amd64.s asm/asm_test.go",
	} {
		built, _ := got.closure("example.com/m/" + suite)
		if diff := cmp.Diff(want, ownFiles(outer.Root, built)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", suite, diff)
		}
		if !slices.Contains(built, "go.mod") || !slices.Contains(built, filepath.ToSlash(outer.Root)+"/other/go.mod") {
			t.Errorf("%s is built from the files of modules too: %q", suite, built)
		}
	}
}

func TestDependenciesSayWhereANewFileCounts(t *testing.T) {
	requireGo(t)
	outer := newWorkspace(t, dependent)
	ws := outer
	ws.Root = filepath.Join(outer.Root, "m")
	got := listDependencies(t, ws)
	for _, test := range []struct {
		path, suites string
	}{
		{"low/new.go", "low mid top"},
		{"low/t.go", "low mid top"},
		{"low/test.go", "low mid top"},
		{"low/new_test.go", "low"},
		{"low/new.syso", "low mid top"},
		{"low/new.S", "low mid top"},
		{"low/new.cpp", "low mid top"},
		{"low/README.md", ""},
		{"low/sub/new.go", ""},
		{"low/go.mod", "low mid top"},
		{"embed/data/b.txt", "embed"},
		{"embed/data/b.md", ""},
		{"embed/tree/a/b/c", "embed"},
		{"embed/pages/q/y.html", "embed"},
		{"go.work", "alone asm embed low mid top"},
		{"vendor/modules.txt", "alone asm embed low mid top"},
		{"top/t.txt", "top"},
	} {
		var suites []string
		for suite := range got.suites {
			_, patterns := got.closure(suite)
			if slices.ContainsFunc(patterns, func(pattern string) bool { return matchesPattern(t, pattern, test.path) }) {
				suites = append(suites, strings.TrimPrefix(suite, "example.com/m/"))
			}
		}
		slices.Sort(suites)
		if diff := cmp.Diff(test.suites, strings.Join(suites, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
	}
}

// matchesPattern implements the protocol's patterns.
func matchesPattern(t *testing.T, pattern, path string) bool {
	t.Helper()
	dir, last := filepath.Split(pattern)
	if last == "**" {
		return strings.HasPrefix(path, dir)
	}
	matched, err := filepath.Match(last, strings.TrimPrefix(path, dir))
	if err != nil {
		t.Fatal(err)
	}
	return matched && strings.HasPrefix(path, dir)
}

func TestASuiteThatMayDependOnMoreIsOpaque(t *testing.T) {
	requireGo(t)
	tree := files{
		"go.mod":           "module example.com/m\n\ngo 1.20\n",
		"fine/fine.go":     "package fine\n\nimport _ \"net/http\"\n",
		"fine/f_test.go":   "package fine" + testOf,
		"cgo/cgo.go":       "package cgo\n\nimport \"C\"\n",
		"above/a_test.go":  "package above\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/m/cgo\"\n)\n\nfunc TestIt(t *testing.T) {}\n",
		"plug/p_test.go":   "package plug_test\n\nimport (\n\t_ \"plugin\"\n\t\"testing\"\n)\n\nfunc TestIt(t *testing.T) {}\n",
		"miss/m_test.go":   "package miss\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/nowhere\"\n)\n\nfunc TestIt(t *testing.T) {}\n",
		"deep/d_test.go":   "package deep\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/m/broken\"\n)\n\nfunc TestIt(t *testing.T) {}\n",
		"broken/b.go":      "package broken\n\nimport \"\n",
		"mixed/a.go":       "package one\n",
		"mixed/b.go":       "package two\n",
		"mixed/m_test.go":  "package two" + testOf,
		"round/a/a.go":     "package a\n\nimport _ \"example.com/m/round/b\"\n",
		"round/b/b.go":     "package b\n\nimport _ \"example.com/m/round/a\"\n",
		"again/c.go":       "package again\n",
		"again/c_test.go":  "package again\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/m/again/d\"\n)\n\nfunc TestIt(t *testing.T) {}\n",
		"again/d/d.go":     "package d\n\nimport _ \"example.com/m/again\"\n",
		"syntax/s.go":      "package syntax\n\nfunc {\n",
		"syntax/s_test.go": "package syntax" + testOf,
	}
	ws := newWorkspace(t, tree)
	ws.Env["CGO_ENABLED"] = "1"
	got := listDependencies(t, ws)
	want := map[string]string{
		"cgo": "uses cgo", "above": "cgo uses cgo", "plug": "loads plugins", "miss": "example.com/nowhere", "deep": "broken cannot be loaded",
		"broken": "broken cannot be loaded", "mixed": "found packages", "round/a": "import cycle", "round/b": "import cycle", "again": "import cycle",
	}
	for suite, why := range want {
		if !strings.Contains(got.opaque["example.com/m/"+suite], why) {
			t.Errorf("%s is opaque because %q, want %q", suite, got.opaque["example.com/m/"+suite], why)
		}
		delete(got.opaque, "example.com/m/"+suite)
	}
	if len(got.opaque) > 0 {
		t.Errorf("nothing is hidden of %v", got.opaque)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	testfiles.Write(t, overlay, "{}")
	for suite := range listDependencies(t, ws, "-overlay="+overlay).opaque {
		delete(got.suites, suite)
	}
	if len(got.suites) > 0 {
		t.Errorf("suites are not opaque despite an overlay: %v", slices.Collect(maps.Keys(got.suites)))
	}
}

// What stands in front of all tests, or in the place of their files, concerns them wherever it is.
func TestWrappersAndOverlaysArePartOfAllSuites(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, dependent)
	ws.Root = filepath.Join(ws.Root, "m")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	wrapper, script := file("wrapper", ""), file("script", "")
	overlay := file("overlay.json", `{"Replace": {"low/low.go": "`+file("other.go", "package low")+`", "low/win.go": ""}}`)
	named := ws
	named.Env = maps.Clone(ws.Env)
	named.Env["PATH"] = dir + string(filepath.ListSeparator) + ws.Env["PATH"]
	named.Env["GOFLAGS"] = "'-exec=wrapper -L " + script + "'"
	for _, test := range []struct {
		ws         sdk.Workspace
		flag, want string
		tools      string
	}{
		{ws, "-overlay=" + overlay, "other.go overlay.json", ""},
		{ws, "-exec=" + wrapper + " -L x " + script, "script wrapper", ""},
		{ws, "-toolexec=" + wrapper, "wrapper", "wrapper"},
		{named, "", "script wrapper", "wrapper"},
		{named, "-exec=env A=1 wrapper", "wrapper", "wrapper"},
	} {
		var args []string
		if test.flag != "" {
			args = append(args, test.flag)
		}
		got := listDependencies(t, test.ws, args...)
		for suite := range got.suites {
			files, _ := got.closure(suite)
			files = slices.DeleteFunc(files, func(path string) bool { return !strings.HasPrefix(path, dir) })
			if have := strings.ReplaceAll(strings.Join(files, " "), dir+"/", ""); have != test.want {
				t.Errorf("%s: %s is built from %q, want %q", test.flag, suite, have, test.want)
			}
		}
		for name, part := range got.parts {
			for _, file := range part.Files {
				if base := filepath.Base(file); strings.HasPrefix(file, dir) && part.Tools != strings.Contains(test.tools, base) {
					t.Errorf("%s: %s of %s is a tool: %t", test.flag, base, name, part.Tools)
				}
			}
		}
		if len(got.suites) == 0 {
			t.Errorf("%s: no suite is listed", test.flag)
		}
	}
	for _, flag := range []string{"-exec=./wrapper", "-exec=sh wrapper.sh", "-exec=sh dir/wrapper"} {
		got := listDependencies(t, ws, flag)
		for suite := range got.suites {
			if why := got.opaque[suite]; !strings.Contains(why, "names another program in each directory") {
				t.Errorf("%s: %s is opaque because %q", flag, suite, why)
			}
		}
	}
}

func TestDependenciesDownloadNothing(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod":      "module example.com/m\n\ngo 1.20\n\nrequire github.com/google/go-cmp v0.7.0\n",
		"a/a.go":      "package a\n\nimport _ \"github.com/google/go-cmp/cmp\"\n",
		"a/a_test.go": "package a" + testOf,
		"b/b_test.go": "package b" + testOf,
	})
	sums, err := os.ReadFile(filepath.Join("..", "..", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	testfiles.WriteAll(t, ws.Root, files{"go.sum": string(sums)})
	cache := filepath.Join(t.TempDir(), "modules")
	ws.Env["GOMODCACHE"] = cache
	ws.Env["GOFLAGS"] = "-modcacherw"
	ws.Env["GOPRIVATE"] = "github.com/*"
	got := listDependencies(t, ws)
	if len(got.errors) > 0 || len(got.opaque) != 1 || !strings.Contains(got.opaque["example.com/m/a"], "go-cmp") {
		t.Errorf("a module is missing: %q, errors %q", got.opaque, got.errors)
	}
	if found, _ := filepath.Glob(filepath.Join(cache, "github.com", "*")); len(found) > 0 {
		t.Errorf("%q was downloaded", found)
	}
}
