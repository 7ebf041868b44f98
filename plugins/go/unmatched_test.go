package gotest_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestOnlyPathsThatCertainlyMatchNoPackageAreRejected(t *testing.T) {
	module := files{
		"go.mod": "module example.com/m\n", "a/a_test.go": "package a\n", "broken/x.go": "pack", "other/os_test.go": "//go:build never\n\npackage other\n",
		"docs/x.md": "", "docs/testdata/x.go": "package x\n", "deep/er/x.go": "package er\n",
	}
	work := files{"go.work": "go 1.24\nuse (\n\t./a\n\t./b\n)\n", "a/go.mod": "module example.com/a\n", "b/go.mod": "module example.com/b\n",
		"a/a_test.go": "package a\n", "b/b_test.go": "package b\n"}
	within := files{"go.work": "go 1.24\nuse .\nuse ./a\n", "go.mod": "module example.com/m\n", "a/go.mod": "module example.com/a\n", "x_test.go": "package m\n", "a/x.go": "package a\n"}
	nested := files{"go.mod": "module example.com/m\n\nreplace example.com/used => ./used\n", "a_test.go": "package m\n", "sub/go.mod": "module example.com/sub\n",
		"sub/in/x.go": "package in\n", "used/go.mod": "module example.com/used\n", "used/x.go": "package used\n"}
	for _, test := range []struct {
		tree  files
		name  string
		args  []string
		wants string // empty: the go command is asked
	}{
		{module, "./...", nil, ""},
		{module, "./a", nil, ""},
		{module, "./a/", nil, ""},
		{module, "./a...", nil, ""},
		{module, "./nosuch...", nil, ""},
		{module, "./broken", nil, ""},
		{module, "./other/...", nil, ""},
		{module, "./deep/...", nil, ""},
		{module, "./deep", nil, "no Go files"},
		{module, "./docs/...", nil, "no Go files"},
		{module, "./nosuch/...", nil, "no directory ./nosuch;"},
		{module, "./nosuch/.../x", nil, "no directory ./nosuch;"},
		{module, "./nosuch", []string{"-overlay=x.json"}, ""},
		{module, "example.com/m/nosuch", nil, ""},
		{module, "nosuch/...", nil, ""},
		{module, "all", nil, ""},
		{work, "./...", nil, "name no packages to run all, or name modules: ./a/... ./b/..."},
		{work, ".", nil, "go.work"},
		{work, "./a/...", nil, ""},
		{work, "./nosuch/...", nil, "no directory"},
		{within, "./...", nil, ""},
		{within, ".", nil, ""},
		{within, "./a/...", nil, ""},
		{nested, "./...", nil, ""},
		{nested, "./used/...", nil, ""},
		{nested, "./sub/...", nil, "sub is a separate module, whose tests are run in its own directory"},
		{nested, "./sub/in", nil, "sub is a separate module"},
		{nested, "./sub/in", []string{"-modfile=other.mod"}, ""},
	} {
		ws := newWorkspace(t, test.tree)
		_, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, Selection: sdk.Selection{Suites: []string{test.name}}, RunnerArgs: test.args})
		if (err != nil) != (test.wants != "") || err != nil && !strings.Contains(err.Error(), test.wants) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.wants)
		}
	}
}
