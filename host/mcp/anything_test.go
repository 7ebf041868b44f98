package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

// anything returns what a model may send for a parameter of a kind.
func anything(kind string) []string {
	long := strings.Repeat("long ", 20<<10)
	switch kind {
	case "number":
		return []string{`-1`, `0`, `0.5`, `1e308`, `-1e308`, `1e999`, `"7"`, `"NaN"`, `""`, `[]`}
	case "boolean":
		return []string{`true`, `"false"`, `"?"`, `1`}
	case "array":
		return []string{`[]`, `[""]`, `"x"`, `["-x"]`, `["a\nb","\u0000"]`, `["` + long + `"]`, `[[]]`, `{}`}
	case "object":
		return []string{`{}`, `{"":""}`, `{"../../x.t.sol":"1"}`, `{"a\u0000":"1"}`, `"x"`, `[]`, `{"a":1}`}
	}
	return []string{
		`""`, `" "`, `"x"`, `"last"`, `"prev"`, `"this"`, `"../.."`, `"/"`, `"/etc/passwd"`, `"~"`, `"-x"`, `"--"`, `"("`, `"[z-a]"`, `"%s%n"`, `"a\nb"`, `"\u0000"`, `"\ud800"`,
		`"\u202e\u001b[2J"`, `"` + long + `"`, `7`, `null`, `{}`, `"proctor://runs/x"`, `"1-"`, `"999999999999999999999"`,
	}
}

// A tool answers any arguments, and the next call works. Tools that run tests get a
// runner that takes no time, and whose test is red where a pass would be repeated.
func TestEveryToolAnswersWhateverItIsAsked(t *testing.T) {
	t.Parallel()
	s := newSite(t, bare(), withoutGo(), withPlugin(t, fakeOther))
	w := s.dial(t)
	red := fakeplugin.Report{Tests: []sdk.TestResult{{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Failed}}}
	ask := func(every int, of func(tool) bool) {
		for _, tool := range tools() {
			for _, p := range tool.params {
				if p.Tool == "" {
					continue
				}
				report := fakeplugin.Report{}
				if p.Tool == "repeat" {
					report = red
				}
				s.write(t, files{fakeplugin.ReportFile: report.Encode()})
				for i, value := range anything(arguments.TypeOf(p)) {
					if of(tool) && (arguments.TypeOf(p) != "string" || i%every == 0) {
						checkAsked(t, w, tool.name, argumentsWith(tool, p.Tool, value))
					}
				}
			}
		}
	}
	reading := func(t tool) bool { return t.hints != runs }
	ask(1, reading)
	ask(4, func(t tool) bool { return !reading(t) })
	w.answer(t, "run_tests", nil)
	ask(2, reading)
}

// argumentsWith returns arguments for a tool with a value for one parameter, and for
// the required ones.
func argumentsWith(tool tool, name, value string) string {
	given := []string{fmt.Sprintf("%q:%s", name, value)}
	for _, p := range tool.params {
		if p.Required && p.Tool != name {
			given = append(given, fmt.Sprintf("%q:\"x\"", p.Tool))
		}
	}
	return "{" + strings.Join(given, ",") + "}"
}

func checkAsked(t *testing.T, w *wire, tool, given string) {
	t.Helper()
	m := w.call(t, tool, given)
	if m.Error != nil {
		t.Errorf("%s %.80s: the protocol's error %+v: a model does not see it", tool, given, m.Error)
		return
	}
	r := decodeAnswer(t, m)
	checkAnswer(t, tool, json.RawMessage(`null`), r)
	if strings.Contains(r.text(), "mistake of ours") || strings.Contains(r.text(), "runtime error") {
		t.Errorf("%s %.80s: %q", tool, given, r.texts)
	}
	if r.failed && len(r.text()) > 8<<10 {
		t.Errorf("%s %.80s: an error of %d bytes", tool, given, len(r.text()))
	}
}

// Calls that the protocol forbids are protocol errors, and the server continues.
func TestInvalidCallsAreRefusedAndTheServerContinues(t *testing.T) {
	t.Parallel()
	w := newSite(t, files{}).dial(t)
	for _, params := range []string{
		`{"name":"no_such_tool"}`, `{"name":""}`, `{}`, `{"name":7}`, `{"name":"run_tests","arguments":[]}`, `{"name":"run_tests","arguments":"x"}`,
		`{"name":"run_tests","arguments":` + strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat(`}`, 200) + `}`,
	} {
		m := w.request(t, "tools/call", params)
		if m.Error == nil && !decodeAnswer(t, m).failed {
			t.Errorf("%.80s was answered: %.200s", params, m.Result)
		}
	}
	for _, method := range []string{"no/such", "tools/none", "sampling/createMessage", "resources/read", "prompts/get", "completion/complete"} {
		if m := w.request(t, method, `{}`); m.Error == nil {
			t.Errorf("%s was answered: %.200s", method, m.Result)
		}
	}
	if m := w.request(t, "ping", `{}`); m.Error != nil {
		t.Errorf("%+v", m.Error)
	}
}

// An argument is never a flag of the runner: some of its flags run programs.
func TestNoArgumentIsAFlagOfTheRunner(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"a_test.go": tests("TestOne", "", "TestTwo", "")})
	c := s.connect(t)
	mark := filepath.Join(s.home, "executed")
	script := filepath.Join(s.home, "mark.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n: > '"+mark+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range []with{
		{"packages": []string{"-exec=" + script}}, {"packages": []string{"-exec", script, "./..."}}, {"packages": []string{"--toolexec=" + script, "./..."}},
		{"packages": []string{"-args", "./..."}}, {"packages": []string{"-o=" + mark, "./..."}}, {"packages": []string{"-coverprofile=" + mark, "./..."}},
		{"filter": "x -exec=" + script}, {"filter": "-exec=" + script}, {"packages": []string{" -exec=" + script}},
	} {
		r := c.call(t, "run_tests", args)
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%v was executed: %q", args, r.texts)
		}
		if r.str("status") == "passed" {
			t.Errorf("%v is a pass: %s", args, r.raw)
		}
	}
}
