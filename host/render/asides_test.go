package render

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestASuiteIsCalledByWhatDistinguishesIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ suite, file, of, want string }{
		{"example.com/shop/cart", "cart/a_test.go", "example.com/shop/geo/map", "geo/map"},
		{"example.com/shop", "a_test.go", "example.com/shop", "shop"},
		{"example.com/chi/v5", "a_test.go", "example.com/chi/v5", "chi"},
		{"example.com/chi/v5", "a_test.go", "example.com/chi/v5/middleware", "middleware"},
		{"v8", "a_test.go", "v8", "v8"},
		{"example.com/shop/cart", "", "example.com/shop/geo", "example.com/shop/geo"},
	} {
		var n SuiteNames
		n.Learn(c.suite, c.file)
		if got := n.Short(c.of); got != c.want {
			t.Errorf("%s beside %s: %q, want %q", c.of, c.suite, got, c.want)
		}
	}
}

func TestSuitesAreShortWhereNoneGotToAResult(t *testing.T) {
	t.Parallel()
	run := api.Run{RunID: "r", Verdict: api.Incomplete, Cancelled: true, NeverStarted: []sdk.TestID{{Suite: "example.com/m/a", Test: "TestA"}}, Counts: api.Counts{NeverStarted: 1}}
	var heard Asides
	heard.Listen(&api.RunStarted{Run: run, Expected: func() []api.ExpectedSuite {
		return []api.ExpectedSuite{{Suite: "example.com/m/a", File: "a/a_test.go"}}
	}})
	heard.Listen(&api.RunFinished{Run: run})
	if got := Ending(run, &heard, Style{}); strings.Contains(got, "example.com") || !strings.Contains(got, "– a TestA ") {
		t.Errorf("got:\n%s", got)
	}
}
