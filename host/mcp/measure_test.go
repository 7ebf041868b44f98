package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// Only the end of the time is no error.
func TestAnErrorOfAnIndexIsNotTheEndOfItsTime(t *testing.T) {
	t.Parallel()
	line, err := tellMeasured(t.Context(), api.Index{}, fmt.Errorf("list: %w", context.DeadlineExceeded), "")
	if err != nil || !strings.HasPrefix(line, "the time ran out") {
		t.Errorf("at the end of the time: %q, %v", line, err)
	}
	crashed := errors.New("the plugin crashed")
	if line, err = tellMeasured(t.Context(), api.Index{}, crashed, "; more"); !errors.Is(err, crashed) || line != "" {
		t.Errorf("after a crash: %q, %v", line, err)
	}
}

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
	if !strings.Contains(r.text(), "indexed 2 tests") || len(c.heard()) == 0 {
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
