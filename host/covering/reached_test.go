package covering

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

func TestTestsThatLeadToCodeAreNotLookedUp(t *testing.T) {
	t.Parallel()
	outlines := map[string][]sdk.SourceUnit{
		"p/a.go":      {{Kind: sdk.UnitBody, Name: "A", StartLine: 3, EndLine: 5}},
		"p/a_test.go": {{Kind: sdk.UnitTest, Test: "TestA"}, {Kind: sdk.UnitTest, Test: "TestAll"}},
		"q/b_test.go": {{Kind: sdk.UnitTest, Test: "TestAll/in"}},
	}
	failure := func(test, file string, line int, frame string) api.Failure {
		f := api.Failure{Failure: sdk.Failure{Location: sdk.Location{File: file, Line: line}, TestFrame: sdk.Location{File: frame}}}
		f.Test = test
		return f
	}
	got := findDeclarations([]api.Failure{
		failure("TestAll/in/a_table", "p/a_test.go", 9, ""),
		failure("TestAll/another", "p/help_test.go", 9, "p/a_test.go"),
		failure("TestA", "p/a.go", 4, "p/a_test.go"), // in the code
		failure("", "p/a_test.go", 1, ""),            // of the suite
		failure("TestX", "p/a_test.go", 1, ""),
	}, outlines)
	if want := []coverage.Declared{{Dir: "p", Test: "TestAll"}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestFilesBesideTestsAreOutlinedFirst(t *testing.T) {
	t.Parallel()
	run := []api.Failure{{Failure: sdk.Failure{Location: sdk.Location{File: "p/a_test.x"}}}}
	names := []string{"a.x", "p/a.x", "p/a_test.x", "p/read.me"}
	for i := range maxOutlined {
		names = append(names, fmt.Sprintf("q/%d.x", i))
	}
	got := listSources(run, names)
	if len(got) != maxOutlined || strings.Join(got[:3], " ") != "p/a.x p/a_test.x a.x" {
		t.Errorf("%d: %q", len(got), got[:3])
	}
}

func TestAnAnswerHasRoomForSomeCode(t *testing.T) {
	t.Parallel()
	lines := slices.Repeat([]string{"x"}, 1000)
	read := func(name string) ([]string, bool) { return lines, name != "edited.go" }
	unit := func(file string, first, last int) coverage.Reached {
		return coverage.Reached{File: file, Unit: sdk.SourceUnit{StartLine: first, EndLine: last}}
	}
	var got []string
	for _, c := range excerptCode([]coverage.Reached{
		unit("edited.go", 1, 5), unit("a.go", 10, 9+maxOneCode+7), unit("gone.go", 999, 1001), unit("a.go", 100, 99+maxCode-maxOneCode-leastCode+1),
		unit("long.go", 1, 9), unit("a.go", 200, 203), unit("a.go", 300, 303),
	}, read) {
		got = append(got, fmt.Sprintf("%s:%d %d+%d", c.File, c.Line, len(c.Lines), c.More))
	}
	want := fmt.Sprintf("a.go:10 %d+7, a.go:100 %d+0, a.go:200 4+0", maxOneCode, maxCode-maxOneCode-leastCode+1)
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}
