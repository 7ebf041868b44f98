package gotest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

const usesD = "package p\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/d\"\n)\n\nfunc TestIt(t *testing.T) {}\n"

func TestDependenciesOfEveryKindOfModule(t *testing.T) {
	requireGo(t)
	for _, test := range []struct {
		name  string
		tree  files
		root  string
		args  []string
		suite string
		// want are its files except VERSION, relative to the tree.
		want string
		// watched is a path at which a new file would count.
		watched string
	}{
		{
			name: "vendored", suite: "example.com/m/p",
			tree: files{
				"go.mod":                    "module example.com/m\n\ngo 1.20\n\nrequire example.com/d v1.0.0\n",
				"vendor/modules.txt":        "# example.com/d v1.0.0\n## explicit\nexample.com/d\n",
				"vendor/example.com/d/d.go": "package d\n",
				"p/p_test.go":               usesD,
			},
			want: "go.mod p/p_test.go vendor/example.com/d/d.go vendor/modules.txt", watched: "vendor/example.com/d/new.go",
		},
		{
			name: "workspace", suite: "example.com/a/p",
			tree: files{
				"go.work": "go 1.20\n\nuse (\n\t./a\n\t./b\n)\n", "go.work.sum": "",
				"a/go.mod": "module example.com/a\n\ngo 1.20\n", "b/go.mod": "module example.com/d\n\ngo 1.20\n", "b/go.sum": "",
				"a/p/p_test.go": usesD, "b/d.go": "package d\n",
			},
			want: "a/go.mod a/p/p_test.go b/d.go b/go.mod b/go.sum go.work go.work.sum", watched: "a/p/go.mod",
		},
		{
			name: "module below a workspace", suite: "example.com/a/p", root: "a",
			tree: files{
				"go.work":  "go 1.20\n\nuse (\n\t./a\n\t./b\n)\n",
				"a/go.mod": "module example.com/a\n\ngo 1.20\n", "b/go.mod": "module example.com/d\n\ngo 1.20\n",
				"a/p/p_test.go": usesD, "b/d.go": "package d\n",
			},
			want: "a/go.mod a/p/p_test.go b/d.go b/go.mod go.work", watched: "b/new.go",
		},
		{
			name: "no go.work yet", suite: "example.com/m/p", root: "m",
			tree: files{
				"m/go.mod":      "module example.com/m\n\ngo 1.20\n\nrequire example.com/d v0.0.0\n\nreplace example.com/d => ../d\n",
				"d/go.mod":      "module example.com/d\n\ngo 1.20\n",
				"m/p/p_test.go": usesD, "d/d.go": "package d\n", "d/sub/sub.go": "package sub\n",
			},
			want: "d/d.go d/go.mod m/go.mod m/p/p_test.go", watched: "go.work",
		},
		{
			name: "another module file", suite: "example.com/m/p", args: []string{"-modfile=other.mod"},
			tree: files{
				"go.mod":    "module example.com/m\n",
				"other.mod": "module example.com/m\n\ngo 1.20\n\nrequire example.com/d v0.0.0\n\nreplace example.com/d => ./d\n",
				"d/go.mod":  "module example.com/d\n\ngo 1.20\n", "d/d.go": "package d\n", "p/p_test.go": usesD,
			},
			want: "d/d.go d/go.mod go.mod other.mod p/p_test.go", watched: "other.sum",
		},
		{
			name: "profile", suite: "example.com/m/p",
			tree: files{
				"go.mod": "module example.com/m\n\ngo 1.20\n", "p/main.go": "package main\n\nimport _ \"example.com/m/low\"\n\nfunc main() {}\n",
				"p/default.pgo": "GO PREPROFILE V1\n", "p/p_test.go": "package main" + testOf, "low/low.go": "package low\n",
			},
			want: "go.mod low/low.go p/default.pgo p/main.go p/p_test.go", watched: "p/default.pgo",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, test.tree)
			top := ws.Root
			ws.Root = filepath.Join(top, test.root)
			got := listDependencies(t, ws, test.args...)
			if len(got.errors) > 0 || got.opaque[test.suite] != "" {
				t.Fatalf("errors %q, opaque %q", got.errors, got.opaque)
			}
			built, patterns := got.closure(test.suite)
			if diff := cmp.Diff(test.want, strings.Join(pathsBelow(top, ws.Root, built), " ")); diff != "" {
				t.Errorf("files differ (-want +got):\n%s", diff)
			}
			if !slices.ContainsFunc(pathsBelow(top, ws.Root, patterns), func(pattern string) bool { return matchesPattern(t, pattern, test.watched) }) {
				t.Errorf("a new %s would not count", test.watched)
			}
		})
	}
}

// pathsBelow returns the paths below a directory, relative to it.
func pathsBelow(top, root string, names []string) []string {
	var kept []string
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.ToSlash(root) + "/" + name
		}
		if rel, ok := strings.CutPrefix(name, filepath.ToSlash(top)+"/"); ok {
			kept = append(kept, rel)
		}
	}
	slices.Sort(kept)
	return kept
}

func TestTheGoVersionIsADependency(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n\ngo 1.20\n", "p/p_test.go": "package p" + testOf})
	got := listDependencies(t, ws)
	built, _ := got.closure("example.com/m/p")
	if !slices.ContainsFunc(built, func(name string) bool { return filepath.IsAbs(name) && filepath.Base(name) == "VERSION" }) {
		t.Errorf("files are %q", built)
	}
}

func TestANestedModuleIsNotASuite(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod": "module example.com/m\n\ngo 1.20\n", "p/p_test.go": "package p" + testOf,
		"sub/go.mod": "module example.com/sub\n\ngo 1.20\n", "sub/s_test.go": "package sub" + testOf,
	})
	got := listDependencies(t, ws)
	if len(got.suites) != 1 || len(got.errors) > 0 {
		t.Errorf("suites %q, errors %q", got.suites, got.errors)
	}
}

func TestDependenciesDoNotDependOnTheSelection(t *testing.T) {
	requireGo(t)
	outer := newWorkspace(t, dependent)
	ws := outer
	ws.Root = filepath.Join(outer.Root, "m")
	all := listDependencies(t, ws)
	one := listAs(t, sdk.ListRequest{Workspace: ws, Selection: sdk.Selection{Suites: []string{"example.com/m/top"}}, Dependencies: true})
	for _, got := range []*listed{all, one} {
		if len(got.errors) > 0 {
			t.Fatal(got.errors)
		}
	}
	wantFiles, wantPatterns := all.closure("example.com/m/top")
	files, patterns := one.closure("example.com/m/top")
	if diff := cmp.Diff([][]string{wantFiles, wantPatterns}, [][]string{files, patterns}); diff != "" || len(one.suites) != 1 {
		t.Errorf("%d suites; dependencies differ (-all +one):\n%s", len(one.suites), diff)
	}
}

func TestDependenciesWarnAboutModulesLeftOut(t *testing.T) {
	root := t.TempDir()
	testfiles.WriteAll(t, root, files{
		"go.work": "go 1.24\n\nuse (\n\t./one\n\t./two\n)\n", "one/go.mod": "module example.com/one\n\ngo 1.24\n", "two/go.mod": "module example.com/two\n\ngo 1.24\n",
		"alone/go.work": "go 1.24\n\nuse .\n", "alone/go.mod": "module example.com/alone\n\ngo 1.24\n",
	})
	for _, test := range []struct {
		dir, goWork  string
		dependencies bool
		want         string
	}{
		{"one", "", true, "the tests of the other modules of ../go.work are left out: they belong to the workspace .."},
		{"one", "", false, ""},
		{"one", "off", true, ""},
		{".", "", true, ""},
		{"alone", "", true, ""},
	} {
		ws := sdk.Workspace{Root: filepath.Join(root, test.dir), Tools: map[string]string{}, Env: map[string]string{"GOWORK": test.goWork}}
		plan, err := newDetector(t).ListCmd(t.Context(), sdk.ListRequest{Workspace: ws, Dependencies: test.dependencies})
		if got := strings.Join(plan.Warnings, "; "); err != nil || got != test.want {
			t.Errorf("%+v: warnings %q, error %v", test, got, err)
		}
	}
}
