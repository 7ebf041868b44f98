package mcp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/fakeplugin"
)

// checked returns a tree whose tests are preceded by a check.
func checked(check string, pairs ...string) files {
	return files{"a.tests": shellTests(pairs...), fakeplugin.ShellCheck: check}
}

// Whatever becomes of the check, the tests run, and they decide.
func TestACheckThatHangsIsEndedBeforeTheTests(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]string{
		"its command":            `echo $$ >"$HOLD.check"; exec sleep 3600`,
		"the plugin":             `echo $$ >"$HOLD.check"; echo "` + fakeplugin.ShellHangs + `"; exit 1`,
		"the plugin, after news": `echo $$ >"$HOLD.check"; echo "a is not built"; echo "` + fakeplugin.ShellHangs + `"; exec sleep 3600`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShellSite(t, checked(check, "TestChecked", `pid=$(cat "$HOLD.check") && ! kill -0 "$pid"`))
			// The check has a tenth of the time.
			if r := s.connect(t).call(t, "run_tests", with{"timeout": 20}); r.str("status") != "passed" || strings.Contains(r.text(), "check before the tests") {
				t.Errorf("%q", r.texts)
			}
		})
	}
}

// A plugin that breaks down over the check is started again, and once more if it does over the
// tests, as without a check.
func TestAPluginThatBreaksDownOverTheCheckReadsTheTests(t *testing.T) {
	t.Parallel()
	breaks := func(name string) string { return fmt.Sprintf(`echo "%s$HOLD.%s"`, fakeplugin.ShellPanics, name) }
	s := newShellSite(t, checked(breaks("check")+"; exit 1", "TestGood", breaks("tests"), "TestBad", `[ -e "$HOLD.green" ]`))
	c := s.connect(t)
	const told, again = "the check before the tests told nothing: ", "the plugin failed once and read the recorded output again"
	if r := c.call(t, "run_tests", nil); r.str("status") != "failed" || !strings.Contains(r.text(), told) || !strings.Contains(r.text(), again) || !strings.Contains(r.text(), "1 test passed, 1 failed") {
		t.Errorf("%q", r.texts)
	}
	// Later runs use the same plugin, whose restart is spent; the check spends nothing.
	for _, name := range []string{".check", ".green"} {
		if name == ".check" {
			if err := os.Remove(holdPath(s.home) + name); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(holdPath(s.home)+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := c.call(t, "run_tests", nil); r.str("status") != "passed" || !strings.Contains(r.text(), told) {
		t.Errorf("%q", r.texts)
	}
}

// What the check says and the tests do not confirm changes no verdict.
func TestACheckThatIsWrongIsAWarning(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, checked(`echo "a a.tests:1: undefined"; exit 1`, "TestGood", "true"))
	if r := s.connect(t).call(t, "run_tests", nil); r.str("status") != "passed" || !strings.Contains(r.text(), "said of 1 suite what the run itself did not: a: a.tests:1: undefined") {
		t.Errorf("%q", r.texts)
	}
}
