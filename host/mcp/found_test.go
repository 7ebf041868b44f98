package mcp

import (
	"strings"
	"testing"
)

func TestWhatDoesNotBuildIsToldWhileOtherTestsRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"a/a_test.go": strings.Replace(tests("TestA", "undefined()"), "package m", "package a", 1),
		"b/b_test.go": strings.Replace(tests("TestB", `var unused int`), "package m", "package b", 1),
		"c/c_test.go": tests("TestHeld", held),
	})
	release := s.hold(t)
	c := s.connect(t)
	id := c.call(t, "run_tests", with{"wait": 0}).str("run_id")
	var r result
	until(t, "what does not build", func() bool {
		r = c.call(t, "get_run", nil)
		return r.object["not_built_total"] == 2.0 && s.isHeld()
	})
	if r.str("status") != "running" || r.str("run_id") != id {
		t.Errorf("%s", r.raw)
	}
	for _, want := range []string{
		"not built so far:\n", "  example.com/m/a: a/a_test.go:16:27: undefined: undefined", "  example.com/m/b: b/b_test.go:16:31: declared and not used: unused",
	} {
		if !strings.Contains(r.text(), want) {
			t.Errorf("%q does not have %q", r.texts, want)
		}
	}
	release()
	r = c.call(t, "get_run", with{"wait": 60})
	if r.str("status") != "build_failed" || r.object["not_built"] != nil || r.object["failures_total"] != 2.0 {
		t.Errorf("%s", r.raw)
	}
}
