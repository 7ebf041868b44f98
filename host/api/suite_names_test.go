package api_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
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

// A plugin may say anything of its suites; each still has a name.
func TestNoPrefixTakesTheNameOfASuite(t *testing.T) {
	t.Parallel()
	var n api.SuiteNames
	n.LearnPrefixes([]string{"", "/", "m", "m/a", "m/a/b"})
	for suite, want := range map[string]string{"m/a/c": "c", "m/a": "a", "m/": "m/", "m/a/b/": "b/", "other": "other", "/x": "/x", "": ""} {
		if got := n.Short(suite); got != want {
			t.Errorf("%q is called %q, want %q", suite, got, want)
		}
	}
}
