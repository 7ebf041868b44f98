package mcp

import (
	"strings"
	"testing"
)

// That nothing has run yet is true, but not all there is to say.
func TestACallThatWasRefusedIsNotForgotten(t *testing.T) {
	t.Parallel()
	c := newShellSite(t, bare()).connect(t)
	if r := c.call(t, "run_tests", with{"language": "cobol"}); !r.failed {
		t.Fatalf("%q", r.texts)
	}
	for _, tool := range []string{"last_test_failures", "run_failing_tests", "get_run"} {
		r := c.call(t, tool, nil)
		r.says(t, seedNoRunYet, false)
		for _, form := range []string{r.text(), r.str("more")} {
			if !strings.Contains(form, "the last run_tests call did not run: ") || !strings.Contains(form, "cobol") {
				t.Errorf("%s: %q", tool, form)
			}
		}
	}
}
