package mcpserver

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTestsCoveringNeverLooksLikeNoTestCovers(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"a/a.go": "package a\n"})
	c := s.connect(t)
	for _, args := range []map[string]any{
		{"file": "a/a.go"}, {"file": filepath.Join(s.dir, "a", "a.go"), "lines": "1"}, {"file": "a/a.go", "lines": 7, "limit": "1e9"}, {"file": "./a/a.go", "lines": "40-60"},
	} {
		r := c.call(t, "tests_covering", args)
		r.says(t, "unknown: there is no coverage index, so it is not known which tests execute this", false)
		_, tests := r.object["tests"]
		_, total := r.object["total"]
		if tests || total || r.str("granularity") != "unknown" || r.str("file") != "a/a.go" || !strings.Contains(r.str("more"), "run_tests with packages") || !strings.Contains(r.text(), r.str("more")) {
			t.Errorf("%v: %s", args, r.raw)
		}
	}
	for want, args := range map[string]map[string]any{
		"file is missing":                            nil,
		"no file is named":                           {"file": " "},
		"there is no file nope.go":                   {"file": "nope.go"},
		"lies outside of the workspace":              {"file": s.home},
		"a is not a regular file":                    {"file": "a"},
		`lines "x" are none; give a line or a range`: {"file": "a/a.go", "lines": "x"},
		"lines 60-40 end before they begin":          {"file": "a/a.go", "lines": "60-40"},
	} {
		if r := c.call(t, "tests_covering", args); !r.failed || r.str("code") != codeInvalidRequest || !strings.Contains(r.text(), want) {
			t.Errorf("%v: %q", args, r.texts)
		}
	}
}
