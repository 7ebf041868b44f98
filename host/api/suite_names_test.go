package api_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
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
		var n api.SuiteNames
		n.Learn(c.suite, c.file)
		if got := n.Short(c.of); got != c.want {
			t.Errorf("%s beside %s: %q, want %q", c.of, c.suite, got, c.want)
		}
	}
}

func TestNoTwoSuitesHaveOneShortName(t *testing.T) {
	t.Parallel()
	var n api.SuiteNames
	n.LearnPrefixes([]string{"example.com/m", "example.com/chi/v5", "example.com/r", "r"})
	for suite, want := range map[string]string{
		"example.com/m": "m", "example.com/m/m": "m/m", "example.com/m/m/m": "m/m/m", "example.com/m/m/a": "m/m/a", "example.com/m/a": "a", "example.com/m/a/m": "a/m",
		"example.com/chi/v5": "chi", "example.com/chi/v5/chi": "chi/chi", "example.com/r": "example.com/r", "r": "r", "r/a": "a",
	} {
		if got := n.Short(suite); got != want {
			t.Errorf("%q is called %q, want %q", suite, got, want)
		}
	}
}

// A name that is shown can be pasted, also where it is the end of another one.
func TestAShortNameMeansTheTestThatItIsShownFor(t *testing.T) {
	t.Parallel()
	var n api.SuiteNames
	n.LearnPrefixes([]string{"example.com/m", "example.com/chi/v5", "example.com/r", "r"})
	tests := []sdk.TestID{
		{Suite: "r", Test: "TestA"}, {Suite: "example.com/r", Test: "TestA"},
		{Suite: "example.com/m/m", Test: "TestA"}, {Suite: "example.com/m", Test: "TestA"}, {Suite: "example.com/m/x/chi", Test: "TestA"},
		{Suite: "example.com/chi/v5", Test: "TestA"}, {Suite: "example.com/m/a/b", Test: "TestA"}, {Suite: "example.com/m/b", Test: "TestA"}, {Suite: "example.com/m"},
	}
	for i, test := range tests {
		for _, between := range []string{" ", "/"} {
			name := prose.Joined(n.Short(test.Suite), between, test.Test)
			if got := api.MatchTests(tests, name, n); !slices.Equal(got, []int{i}) {
				t.Errorf("%q means %v, want %d", name, got, i)
			}
		}
	}
}

// A plugin may say anything of its suites; each still has a name.
func TestNoPrefixTakesTheNameOfASuite(t *testing.T) {
	t.Parallel()
	var n api.SuiteNames
	n.LearnPrefixes([]string{"", "/", "m", "m/a", "m/a/b"})
	for suite, want := range map[string]string{"m/a/c": "c", "m/a": "a", "m/": "m/", "m/a/b/": "a/b/", "other": "other", "/x": "/x", "": ""} {
		if got := n.Short(suite); got != want {
			t.Errorf("%q is called %q, want %q", suite, got, want)
		}
	}
}

func TestAPartIsInsideWhatItsNameGoesOnFrom(t *testing.T) {
	for _, c := range []struct {
		part, whole, listed string
		inside              bool
	}{
		{"TestA/x", "TestA", "TestA", true},
		{"TestA/x", "TestA", "", true},
		{"TestA/x/y", "TestA/x", "TestA", true},
		{"TestA/x#01", "TestA/x", "TestA", false},
		{"TestA/x-y", "TestA/x", "TestA", false},
		{"TestA/x/y", "TestA/x", "", true},
		{"TestA", "TestA", "TestA", false},
		{"TestB/x", "TestA", "TestA", false},
		{"TestAB", "TestA", "", false},
		{"TestA_b", "TestA", "TestA", false},
		{"TestA2", "TestA", "TestA", false},
		{"test[1]", "test", "", true},
		{"A → b → c", "A → b", "A", true},
	} {
		if got := api.IsInside(c.part, c.whole, c.listed); got != c.inside {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
