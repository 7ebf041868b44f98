package gotest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
)

// two has two packages, one of which executes code of the other.
var two = files{
	"a/a.go": `package a

import "example.com/m/b"

var table = build()

func build() int { return 1 }

func A(x int) int {
	if x > 1 {
		return b.B(x)
	}
	return 0
}
`,
	"b/b.go": `package b

func B(x int) int {
	return x + 1
}

func Never() {
	println()
}
`,
	"a/a_test.go": `package a

import "testing"

func TestOne(t *testing.T) { A(1) }

func TestTwo(t *testing.T) { t.Run("sub", func(t *testing.T) { A(2) }) }

func ExampleA() {
	println(A(1))
	// Output:
}

func FuzzA(f *testing.F) {
	f.Add(2)
	f.Fuzz(func(t *testing.T, x int) { A(x) })
}

func BenchmarkA(b *testing.B) {}
`,
	"a/x_test.go": `package a_test

import (
	"testing"

	"example.com/m/a"
)

func TestExternal(t *testing.T) { a.A(1); t.Skip() }
`,
}

func TestIndexReportsTheLinesThatEachTestExecutes(t *testing.T) {
	ws := newModule(t, two)
	found, ran := measureSuites(t, ws, sdk.IndexRequest{}, "example.com/m/a")
	suite := found.suites["example.com/m/a"]
	if suite.Granularity != sdk.CoveragePerTest || suite.Why != "" || len(found.errors) > 0 {
		t.Fatalf("granularity %v, %q, errors %q, output:\n%s", suite.Granularity, suite.Why, found.errors, ran.text)
	}
	got := map[string]string{"": startLines(suite, suite.Whole), "start": startLines(suite, suite.StartUp)}
	for _, test := range suite.Tests {
		got[test.Name] = startLines(suite, test.Blocks)
		if test.Opaque != "" || test.Alone != test.Together || (test.Alone == sdk.Skipped) != (test.Name == "TestExternal") {
			t.Errorf("%+v", test)
		}
	}
	want := map[string]string{
		"":             "a/a.go:7 a/a.go:9 a/a.go:10 a/a.go:13 b/b.go:3",
		"start":        "a/a.go:7",
		"TestOne":      "a/a.go:9 a/a.go:13",
		"TestTwo":      "a/a.go:9 a/a.go:10 b/b.go:3",
		"ExampleA":     "a/a.go:9 a/a.go:13",
		"FuzzA":        "a/a.go:9 a/a.go:10 b/b.go:3",
		"TestExternal": "a/a.go:9 a/a.go:13",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
	if ran.ended[sdk.TestID{Suite: "example.com/m/a", Test: "TestTwo/sub"}] != "pass" || ran.suites["example.com/m/a"] != "pass" {
		t.Errorf("the events are not those of a run: %v", ran)
	}
}
