package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
)

func TestTheSentenceOfAListSaysWhetherItIsWhole(t *testing.T) {
	filtered := api.Selection{Filter: "X"}
	for want, l := range map[string]api.TestList{
		"2 tests in 1 suite (go)":                        {Total: 2, SuitesTotal: 1, Complete: true},
		"1 test in 1 suite selected (go)":                {Total: 1, SuitesTotal: 1, Complete: true, Selection: filtered},
		"there are no tests (go)":                        {Complete: true},
		"no test is selected (go)":                       {Complete: true, Selection: filtered},
		"INCOMPLETE: the tests could not be listed (go)": {},
		"INCOMPLETE: not every test could be listed; found: 2 tests in 1 suite (go)": {Total: 2, SuitesTotal: 1},
		"2 tests in 1 suite (go; 1 only run on request)":                             {Total: 2, OnRequest: 1, SuitesTotal: 1, Complete: true},
		"2 tests in 1 suite (go; narrowed by settings: only = \\n\"X\")":             {Total: 2, SuitesTotal: 1, Complete: true, Selection: api.Selection{Configured: []string{"only = \n\"X\""}}},
	} {
		l.Language = "go"
		if got := render.TestsFound(l); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestNamesOfTestsStayOnTheirLines(t *testing.T) {
	l := api.TestList{
		Language: "go", Total: 9, SuitesTotal: 1, Complete: true, NextCursor: "abc", Warnings: api.Notes("", "one\ntwo"),
		Suites: []api.ListedSuite{{Suite: "s\n9 tests", Tests: []api.ListedTest{
			{Test: "TestA\x1b[31m\n\nthere are no tests", File: "a b.go", Line: 3}, {Test: "BenchmarkB", OnRequest: true},
		}}},
	}
	want := `s\n9 tests
   TestA\n\nthere are no tests  a b.go:3
   BenchmarkB  (only runs on request)

note: one\ntwo
9 tests in 1 suite (go)
`
	if got := render.Tests(l, render.Style{}); got != want {
		t.Errorf("got:\n%s", got)
	}
	broken := render.Tests(api.TestList{Language: "go", Errors: []string{"a does not build:\n9 tests in 1 suite (go)"}}, render.Style{})
	if !strings.HasPrefix(broken, "INCOMPLETE") || strings.Contains(broken, "\n9 tests") {
		t.Errorf("got:\n%s", broken)
	}
}
