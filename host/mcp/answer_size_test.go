package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/sdk"
)

// Four characters are a token, roughly; bench counts in the same way.
const charsPerToken = 4

// How long the answers may be that agents read most, in tokens, in either form.
const (
	greenTokens     = 25
	oneRedTokens    = 150
	onePanicsObject = 210
)

func TestTheAnswersThatAgentsReadMostAreShort(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"add.go":      "package m\n\nfunc add(a, b int) int {\n\treturn a + b\n}\n",
		"add_test.go": tests("TestAdd", `if got := add(1, 2); got != 3 { t.Errorf("add(1, 2) = %d, want 3", got) }`),
	})
	s.git(t, "init", "-q")
	s.git(t, "add", "-A")
	s.git(t, "commit", "-q", "-m", "x")
	c := s.connect(t)
	green := c.call(t, "run_tests", nil)
	for form, text := range map[string]string{"text": green.text(), "object": string(green.raw)} {
		if tokens := len(text) / charsPerToken; tokens > greenTokens || !strings.Contains(text, "passed") {
			t.Errorf("a green %s has %d tokens: %s", form, tokens, text)
		}
	}
	s.write(t, files{"add.go": "package m\n\nfunc add(a, b int) int {\n\treturn a - b\n}\n"})
	red := c.call(t, "run_tests", nil)
	if tokens := len(red.text()) / charsPerToken; tokens > oneRedTokens {
		t.Errorf("one failure has %d tokens: %s", tokens, red.text())
	}
	if tokens := len(red.raw) / charsPerToken; tokens > oneRedTokens {
		t.Errorf("the object of one failure has %d tokens: %s", tokens, red.raw)
	}
	// The line that failed, and the line to fix.
	for _, line := range []string{`if got := add(1, 2); got != 3 {`, "return a - b"} {
		if !strings.Contains(red.text(), line) || !strings.Contains(strings.ReplaceAll(string(red.raw), `\\"`, `"`), line) {
			t.Errorf("%q is not in both forms:\n%s\n%s", line, red.text(), red.raw)
		}
	}
}

// A panic in a subtest keeps the test around it from its end, which is said once.
func TestThePanicOfASubtestIsAShortAnswer(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"cart.go": "package m\n\n// last returns the last item.\nfunc last(items []string) string {\n\tif len(items) == 0 {\n\t\treturn \"\"\n\t}\n\treturn items[len(items)-1]\n}\n",
		"cart_test.go": tests("TestLast", `
	for name, items := range map[string][]string{"empty": nil} {
		t.Run(name, func(t *testing.T) {
			if got := last(items); got != "" { t.Errorf("last = %q", got) }
		})
	}`),
	})
	s.git(t, "init", "-q")
	s.git(t, "add", "-A")
	s.git(t, "commit", "-q", "-m", "x")
	c := s.connect(t)
	if green := c.call(t, "run_tests", nil); green.str("status") != "passed" {
		t.Fatal(green.text())
	}
	s.write(t, files{"cart.go": "package m\n\n// last returns the last item.\nfunc last(items []string) string {\n\tif len(items) < 0 {\n\t\treturn \"\"\n\t}\n\treturn items[len(items)-1]\n}\n"})
	red := c.call(t, "run_tests", nil)
	if tokens := len(red.text()) / charsPerToken; tokens > oneRedTokens {
		t.Errorf("the panic has %d tokens: %s", tokens, red.text())
	}
	if tokens := len(red.raw) / charsPerToken; tokens > onePanicsObject {
		t.Errorf("the object of the panic has %d tokens: %s", tokens, red.raw)
	}
	for _, part := range []string{"return items[len(items)-1]", "if len(items) < 0 {", "index out of range [-1]", "parts of example.com/m/TestLast may never have started"} {
		if !strings.Contains(red.text(), part) || !strings.Contains(string(red.raw), strings.ReplaceAll(part, "<", `\u003c`)) && !strings.Contains(string(red.raw), part) {
			t.Errorf("%q is not in both forms:\n%s\n%s", part, red.text(), red.raw)
		}
	}
	if strings.Contains(red.text(), "did not finish:") || red.object["unfinished"] != nil || !strings.Contains(string(red.raw), `"unfinished":1`) {
		t.Errorf("the test that did not finish is told twice, or not counted: %s\n%s", red.text(), red.raw)
	}
}

// The cases of a table that fail at one line usually fail for one reason.
func TestFurtherCasesOfATableAreShort(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"a_test.go": tests("TestTable", `
	for _, name := range []string{"a", "b", "c", "d"} {
		t.Run(name, func(t *testing.T) {
			t.Errorf("%s\nfirst\nbetween\nbetween\nbetween\nbetween\nbetween\nlast", name)
		})
	}`)})
	red := s.connect(t).call(t, "run_tests", nil)
	for _, got := range []string{red.text(), strings.ReplaceAll(string(red.raw), `\n`, "\n")} {
		if n := strings.Count(got, "between\n"); n != 2*5+2*2 {
			t.Errorf("%d lines of four cases:\n%s", n, got)
		}
		for _, part := range []string{"first", "last"} {
			if n := strings.Count(got, part); n < 4 {
				t.Errorf("%d times %q:\n%s", n, part, got)
			}
		}
	}
}

func TestACauseIsReportedOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc broken(t *testing.T) {\n\tt.Fatal(\"no such table\")\n}\n\n" +
			"func TestA(t *testing.T) { broken(t) }\nfunc TestB(t *testing.T) { broken(t) }\n",
		"b_test.go": tests("TestC", `broken(t)`),
	})
	c := s.connect(t)
	for _, tool := range []string{"run_tests", "last_test_failures"} {
		r := c.call(t, tool, nil)
		if n := strings.Count(r.text(), "no such table"); n > 2 { // the source, and the message
			t.Errorf("the text of %s tells the cause %d times:\n%s", tool, n, r.text())
		}
		if n := strings.Count(string(r.raw), `"message":"no such table"`); n != 1 {
			t.Errorf("the object of %s tells the cause %d times: %s", tool, n, r.raw)
		}
		for _, test := range []string{"TestA", "TestB", "TestC"} {
			if !strings.Contains(r.text(), test) || !strings.Contains(string(r.raw), test) {
				t.Errorf("%s does not name %s", tool, test)
			}
		}
		if !strings.Contains(r.text(), "same cause as 1") || strings.Count(string(r.raw), "same_cause_as") != 2 {
			t.Errorf("%s: %s\n%s", tool, r.text(), r.raw)
		}
	}
}

func TestAnObjectNamesTheRunInWhichTestsPassedOnce(t *testing.T) {
	t.Parallel()
	var failures []api.Failure
	for i, passed := range []string{"r1", "r1", "r2"} {
		failures = append(failures, api.Failure{
			Failure:  sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: fmt.Sprint("T", i)}},
			Standing: &api.Standing{Classification: api.Regression, LastPassed: &api.LastPassed{RunID: passed}, Changed: []string{"a.go"}, ChangedTotal: 1},
		})
	}
	o := objectOf(api.Run{Verdict: api.Failed, FailuresTotal: 3}, pick.Picked{Shown: failures}, &api.ChangedLines{SinceRunID: "r2"})
	for i, want := range []bool{true, false, false} {
		if s := o.Failures[i].Standing; (s.LastPassed != nil) != want || (s.Changed != nil) != want || s.Classification != api.Regression {
			t.Errorf("failure %d: %+v", i, s)
		}
	}
}
