package coverage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// unitsOf makes units of lines such as "body Add 3-5: Add < check".
func unitsOf(t *testing.T, lines ...string) []sdk.SourceUnit {
	t.Helper()
	kinds := map[string]sdk.UnitKind{"body": sdk.UnitBody, "test": sdk.UnitTest, "decl": sdk.UnitDeclaration}
	var units []sdk.SourceUnit
	for _, l := range lines {
		var kind, name string
		u := sdk.SourceUnit{}
		head, mentions, _ := strings.Cut(l, ":")
		if n, err := fmt.Sscanf(head, "%s %s %d-%d", &kind, &name, &u.StartLine, &u.EndLine); n != 4 {
			t.Fatal(l, err)
		}
		u.Kind, u.Name, u.State = kinds[kind], name, sdk.UnitState{Defines: []string{name}, Mentions: strings.Fields(mentions)}
		if u.Kind == sdk.UnitTest {
			u.Test = name
		}
		units = append(units, u)
	}
	return units
}

func TestCodeIsRankedByTheTestsThatReachIt(t *testing.T) {
	t.Parallel()
	outlines := map[string][]sdk.SourceUnit{
		"p/a.go": unitsOf(t, "body Parse 1-3: lex", "body Print 5-7: lex", "body lex 9-11:", "body unused 13-15:"),
		"p/a_test.go": unitsOf(t, "test TestParsed 1-3: helper", "test TestPrinted 5-7: Print", "test TestLexed 9-11: lex",
			"decl helper 13-15: Parse TestPrinted"),
		"q/b_test.go": unitsOf(t, "test TestParsed 1-3: Print"),
	}
	names := func(failing ...Declared) string {
		var all []string
		for _, r := range RankReached(outlines, failing) {
			all = append(all, r.File+" "+r.Unit.Name)
		}
		return strings.Join(all, ", ")
	}
	for want, failing := range map[string][]Declared{
		// By way of a helper, and what it calls; not by way of another test.
		"p/a.go Parse, p/a.go lex": {{"p", "TestParsed"}},
		"p/a.go Print, p/a.go lex": {{"p", "TestPrinted"}},
		// What all of them reach, though by calls.
		"p/a.go lex, p/a.go Parse, p/a.go Print": {{"p", "TestParsed"}, {"p", "TestPrinted"}, {"p", "TestLexed"}},
		// Not of a test of the same name elsewhere.
		"p/a.go Print, p/a.go lex ": {{"q", "TestParsed"}},
		"":                          {{"p", "TestUnknown"}},
	} {
		if got := names(failing...); got != strings.TrimSpace(want) {
			t.Errorf("%v: %q, want %q", failing, got, want)
		}
	}
}

func TestCodeThatIsNotSingledOutIsNotRanked(t *testing.T) {
	t.Parallel()
	var code []string
	mentions := ""
	for i := range mostAlike + 1 {
		code, mentions = append(code, fmt.Sprintf("body F%d %d-%d:", i, 2*i+1, 2*i+2)), mentions+fmt.Sprintf(" F%d", i)
	}
	outlines := map[string][]sdk.SourceUnit{"a.go": unitsOf(t, code...), "b_test.go": unitsOf(t, "test TestX 1-3:"+mentions)}
	if got := RankReached(outlines, []Declared{{".", "TestX"}}); got != nil {
		t.Errorf("%d functions", len(got))
	}
	outlines["a.go"] = outlines["a.go"][:mostAlike]
	if got := RankReached(outlines, []Declared{{".", "TestX"}}); len(got) != mostAlike {
		t.Errorf("%d functions of few", len(got))
	}
}

func TestALongListIsThinned(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{1: "[0]", 2: "[0 3]", 3: "[0 2 4]", 5: "[0 1 2 3 4]", 9: "[0 1 2 3 4]"} {
		if got := fmt.Sprint(thinOut([]int{0, 1, 2, 3, 4}, most)); got != want {
			t.Errorf("at most %d: %s, want %s", most, got, want)
		}
	}
}
