package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

func TestFurtherMessagesThatRepeatAreCounted(t *testing.T) {
	again := sdk.Also{Location: sdk.Location{File: "a_test.go", Line: 7}, Message: "bad\nmore"}
	other := sdk.Also{Location: sdk.Location{File: "a_test.go", Line: 9}, Message: "other"}
	f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: "T"}, Kind: "assertion", Location: sdk.Location{File: "a_test.go", Line: 7}, Message: "first"}}
	self := sdk.Also{Location: sdk.Location{File: f.File, Line: f.Line}, Message: f.Message}
	f.Also = []sdk.Also{self, again, other, self, again, self, again, {Message: "… [22 more]"}}
	want := `   also a_test.go:7: the same again, 3 times
   also a_test.go:7: bad (3 times)
   also a_test.go:9: other
   also … [22 more]
`
	run := api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{f}}
	for what, got := range map[string]string{"summary": render.Summary(run, render.Style{}), "listing": render.Listing(run, 0, render.Page{})} {
		if !strings.Contains(got, "   first\n"+want) {
			t.Errorf("%s:\n%s\nwant in it:\n%s", what, got, want)
		}
	}
	folded := concise.Also(f)
	if len(folded) != 4 || folded[1].Message != "bad (3 times)\nmore" || folded[2] != other {
		t.Errorf("%+v", folded)
	}
	long := sdk.Also{Message: strings.Repeat("x", 10<<10)}
	if got := concise.Also(api.Failure{Failure: sdk.Failure{Also: []sdk.Also{long, long}}}); len(got) != 1 || !strings.HasPrefix(got[0].Message, "(2 times) xx") {
		t.Errorf("a long one does not begin with its count")
	}
	f.Also = folded
	if again := concise.Also(f); len(again) != 4 || again[1] != folded[1] {
		t.Errorf("twice: %+v", again)
	}
}

func TestTheListingNamesTheKindOfWhatIsNoAssertion(t *testing.T) {
	run := api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: "T"}, Kind: "panic", Message: "boom"}}}}
	if got := render.Listing(run, 0, render.Page{}); !strings.Contains(got, "1. p/T\n   boom\n   kind: panic\n") {
		t.Errorf("got:\n%s", got)
	}
}

// A runner's words must not stand where proctor's own do.
func TestAReasonOfManyLinesIsIndented(t *testing.T) {
	reason := "no result explains it: solc 1.2.3\n\npassed: 33 tests passed\nexit: 0\n"
	run := api.Run{RunID: "r1", Language: "go\npassed", Verdict: "incomplete\npassed: x", Reason: reason}
	for what, got := range map[string]string{
		"summary": render.Summary(run, render.Style{}), "failures": render.NotAPass(run, "the last run", 0), "verdict": render.Verdict(run),
	} {
		for _, line := range strings.Split(got, "\n") {
			if strings.HasPrefix(line, "passed") || strings.HasPrefix(line, "exit") {
				t.Errorf("%s: a runner speaks in our place: %q in\n%s", what, line, got)
			}
		}
		if !strings.Contains(got, "solc 1.2.3") || !strings.Contains(got, "\n   passed: 33 tests passed\n   exit: 0") {
			t.Errorf("%s: the reason is not whole:\n%s", what, got)
		}
	}
}

func TestAMessageIsPrintedOnceWithAllItsPlaces(t *testing.T) {
	t.Parallel()
	f := api.Failure{Failure: sdk.Failure{Kind: sdk.KindBuild, Message: "undefined: a", Location: sdk.Location{File: "m_test.go", Line: 1}}}
	for line := range 8 {
		f.Also = append(f.Also, sdk.Also{Location: sdk.Location{File: "m_test.go", Line: 10 + line}, Message: "undefined: b"})
	}
	f.Also = append(f.Also, sdk.Also{Location: sdk.Location{File: "n_test.go", Line: 3}, Message: "undefined: c"}, sdk.Also{Location: sdk.Location{File: "o_test.go", Line: 4}, Message: "undefined: c"}, sdk.Also{Message: "too many errors"})
	text := block(f, render.Style{}) + "\n"
	for _, want := range []string{
		"also m_test.go:10, 11, 12, 13, 14 and 3 more places: undefined: b\n", "also n_test.go:3, o_test.go:4: undefined: c\n", "also too many errors",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestARaceWithinALineNamesItOnce(t *testing.T) {
	t.Parallel()
	at := sdk.Location{File: "a.go", Line: 3}
	other := sdk.Also{Location: sdk.Location{File: "a.go", Line: 9}, Message: "previous write"}
	f := api.Failure{Failure: sdk.Failure{
		Kind: sdk.KindRace, Location: at, Message: "data race\nread in m.f\nprevious write in m.g",
		Also: []sdk.Also{{Location: at, Message: "previous write"}, other},
	}}
	if got := concise.Also(f); len(got) != 1 || got[0] != other {
		t.Errorf("%+v", got)
	}
	own := sdk.Also{Location: at, Message: "read"} // the test's own words are no access
	f.Message = strings.Replace(f.Message, "read in", "write in", 1)
	if f.Also = append(f.Also, own); len(concise.Also(f)) != 2 {
		t.Errorf("what the test itself says in the line is not told: %+v", concise.Also(f))
	}
	if f.Kind = sdk.KindAssertion; len(concise.Also(f)) != 3 {
		t.Error("a check that failed twice in a line is told once")
	}
}
