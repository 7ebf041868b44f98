package mcp

import (
	"strings"
	"testing"
)

func TestARunTakesTheFlagsThatThePluginDeclares(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"a_test.go": tests("TestA", `if testing.Short() { t.Skip("long") }`, "TestB", ``)})
	c := s.connect(t)
	r := c.call(t, "run_tests", with{"flags": []string{"-short", "-run", "TestB"}})
	if run := s.recorded(t, r.str("run_id")); run.Selection.Filter != "TestB" || strings.Join(run.Selection.RunnerArgs, " ") != "-short" {
		t.Errorf("%+v", run.Selection)
	}
	// A pass of less than everything says so, in both forms.
	for _, text := range []string{r.text(), r.str("reason")} {
		if !strings.Contains(text, "filtered") || !strings.Contains(text, "narrowed by -short") {
			t.Errorf("%q", text)
		}
	}
	for flag, says := range map[string]string{
		"-exec=/bin/true": "only a user at the command line can give it",
		"-update":         "only a user at the command line can give it",
		"-nonsense":       `go takes no flag "-nonsense"`,
		"./...":           "its flags are -run, -skip, -short",
		"-count":          "or it lacks its value",
	} {
		if r := c.call(t, "run_tests", with{"flags": flag}); !r.failed || !strings.Contains(r.text(), says) || r.str("code") != codeInvalidRequest {
			t.Errorf("%s: %q", flag, r.texts)
		}
	}
}

// Whoever calls has not seen the settings.
func TestAPassThatSettingsNarrowSaysSoInEveryForm(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"a_test.go":     tests("TestA", `if testing.Short() { t.Skip("long") }`, "TestB", ``),
		".proctor.toml": "[run]\nargs = [\"-short\"]\n",
	})
	c := s.connect(t)
	const want = "narrowed by settings: -short in .proctor.toml"
	if r := c.call(t, "run_tests", with{"output": "raw"}); len(r.texts) != 2 || !strings.Contains(r.texts[1], want) {
		t.Errorf("raw: %q", r.texts)
	}
	if r := c.call(t, "last_test_failures", nil); !strings.Contains(r.text(), want) {
		t.Errorf("failures: %q", r.texts)
	}
}

func TestARunIsRetriedAsAsked(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{".gitignore": "tried\n", "a.tests": shellTests("TestA", "[ -e tried ] || { : >tried; false; }")})
	s.git(t, "init", "-q")
	c := s.connect(t)
	if r := c.call(t, "run_tests", with{"retries": 2}); !strings.Contains(r.text(), "1 flaky: failed, then passed when retried") {
		t.Errorf("%s", r.text())
	}
}

func TestARunIsTakenFromTheCacheAsAsked(t *testing.T) {
	t.Parallel()
	c := newSite(t, files{"a_test.go": tests("TestA", "")}).connect(t)
	c.call(t, "run_tests", with{"cached": true})
	if r := c.call(t, "run_tests", with{"cached": true}); !strings.Contains(r.text(), "cached") {
		t.Errorf("%s", r.text())
	}
	if r := c.call(t, "run_tests", nil); strings.Contains(r.text(), "cached") {
		t.Errorf("%s", r.text())
	}
}

func TestARunIsRepeatedUntilItFails(t *testing.T) {
	t.Parallel()
	const failsTheThirdTime = `echo >>n; [ $(wc -l <n) != 3 ]`
	s := newShellSite(t, files{".gitignore": "n\n", "a.tests": shellTests("TestA", failsTheThirdTime)})
	s.git(t, "init", "-q")
	c := s.connect(t)
	r := c.call(t, "run_tests", with{"repeat": 9})
	const says = "run 3 of at most 9 did not pass, and the 2 before it did: 1 of 3 on the same sources"
	if !strings.Contains(r.text(), says) || !strings.Contains(string(r.raw), says) || r.str("status") != "failed" {
		t.Errorf("%s\n%s", r.text(), r.raw)
	}
	r = c.call(t, "run_tests", with{"repeat": 2})
	if !strings.Contains(r.text(), "passed in 2 of 2 runs") || r.str("status") != "passed" {
		t.Errorf("%s", r.text())
	}
}
