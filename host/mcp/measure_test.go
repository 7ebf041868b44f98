package mcp

import (
	"strings"
	"testing"
)

func TestTestsOfALineAreMeasuredOnDemand(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"add.go":    "package m\n\nfunc add(a, b int) int {\n\treturn a + b\n}\n\nfunc sub(a, b int) int {\n\treturn a - b\n}\n",
		"a_test.go": tests("TestAdd", ` add(1, 2) `, "TestSub", ` sub(1, 2) `),
	})
	c := s.connect(t)
	line := with{"file": "add.go", "lines": "4"}
	if r := c.call(t, "tests_covering", line); r.str("granularity") == "test" || !strings.Contains(r.text(), `tests_covering{"measure":120}`) {
		t.Errorf("%q", r.texts)
	}
	r := c.begin(t, "tests_covering", with{"file": "add.go", "lines": "4", "measure": 120}, "token").answer(t)
	if r.str("granularity") != "test" || !strings.Contains(r.text(), "TestAdd") || strings.Contains(r.text(), "TestSub") {
		t.Errorf("%q", r.texts)
	}
	if !strings.Contains(r.text(), "2 tests known one by one") || len(c.heard()) == 0 {
		t.Errorf("%q; progress: %v", r.texts, c.heard())
	}
	// What is known stays known.
	if r := c.call(t, "tests_covering", line); r.str("granularity") != "test" {
		t.Errorf("%q", r.texts)
	}
	// An error of the answer is one of the call.
	if r := c.call(t, "tests_covering", with{"file": "nosuch.go", "measure": 60}); !r.failed && r.text() == "" {
		t.Errorf("%q %s", r.texts, r.raw)
	}
}
