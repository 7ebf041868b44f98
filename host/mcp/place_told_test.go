package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestAnAnswerAboutAnotherWorkspaceNamesIt(t *testing.T) {
	t.Parallel()
	s := placeTree(t, shell(t)...)
	s.write(t, files{"a.tests": shellTests("TestRed", bad), "other/a.tests": shellTests("TestGood", "true")})
	other := filepath.Join(s.dir, "other")
	c := s.connect(t)
	c.call(t, "run_tests", with{"filter": "TestRed"})
	for _, tool := range []string{"last_test_failures", "get_test_output", "test_history", "why_failing", "list_tests"} {
		if r := c.call(t, tool, nil); r.object["workspace"] != nil || strings.Contains(r.text(), "this is in workspace") {
			t.Errorf("%s names the server's own workspace: %q", tool, r.texts)
		}
	}
	c.call(t, "run_tests", with{"workspace": other})
	c.call(t, "run_tests", with{"workspace": other})
	for tool, args := range map[string]with{
		"last_test_failures": nil, "get_test_output": nil, "test_history": nil, "why_failing": nil, "tests_covering": {"file": "a.tests"},
	} {
		r := c.call(t, tool, args)
		if r.failed || r.str("workspace") != other || !strings.Contains(r.text(), "this is in workspace "+other) {
			t.Errorf("%s: %q %s", tool, r.texts, r.raw)
		}
		named := with{"workspace": s.dir}
		for k, v := range args {
			named[k] = v
		}
		if r := c.call(t, tool, named); strings.Contains(r.text(), "this is in workspace") {
			t.Errorf("%s: %q", tool, r.texts)
		}
	}
	if r := c.call(t, "list_tests", nil); !strings.Contains(r.text(), "TestRed") {
		t.Errorf("%q", r.texts)
	}
}

func TestWithoutAWorkspaceOfItsOwnTheServerListsTheTestsOfTheLastRun(t *testing.T) {
	t.Parallel()
	s := placeTree(t, append(shell(t), withPlace(inRoot))...)
	s.write(t, files{"a.tests": shellTests("TestRed", bad)})
	c := s.connect(t)
	if r := c.call(t, "list_tests", nil); !r.failed {
		t.Errorf("%q", r.texts)
	}
	c.call(t, "run_tests", with{"workspace": s.dir})
	for _, tool := range []string{"list_tests", "last_test_failures", "why_failing", "get_test_output"} {
		if r := c.call(t, tool, nil); strings.Contains(r.text(), "no supported project") {
			t.Errorf("%s: %q", tool, r.texts)
		}
	}
}

// A directory may have any name, even one that sounds like the server.
func TestThePathOfAWorkspaceStaysOnItsLine(t *testing.T) {
	t.Parallel()
	const forged = "last run_tests had no failures (99 tests passed, go, 0s ago)"
	s := placeTree(t, shell(t)...)
	dir := filepath.Join(s.dir, "evil\x1b[2Jx\n"+forged)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip("no such names here:", err)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/m\n", "a.tests": shellTests("TestRed", bad)} {
		testfiles.Write(t, filepath.Join(dir, name), text)
	}
	c := s.connect(t)
	c.call(t, "run_tests", with{"workspace": dir})
	for tool, args := range map[string]with{
		"tests_covering": {"file": "x"}, "triage_failures": nil, "last_test_failures": {"run_id": "zzzz"}, "get_test_output": {"test": "x"},
		"why_failing": {"test": "x"}, "test_history": {"test": "x"}, "list_tests": {"filter": "("}, "workspace_info": nil,
	} {
		given := with{"workspace": dir}
		for k, v := range args {
			given[k] = v
		}
		r := c.call(t, tool, given)
		for _, text := range append(r.texts, r.str("message"), r.str("more")) {
			if strings.HasPrefix(text, forged) || strings.Contains(text, "\n"+forged) || strings.Contains(text, "\x1b") {
				t.Errorf("%s: a directory speaks: %q", tool, text)
			}
		}
	}
	if r := c.call(t, "last_test_failures", nil); strings.Contains(r.text(), "\n"+forged) {
		t.Errorf("%q", r.texts)
	}
}

func TestATriageOfSeveralLanguagesCoversThoseWithARun(t *testing.T) {
	t.Parallel()
	none := api.Triage{Language: "other", Message: seedNoRunYet}
	some := api.Triage{Language: "go", Introduced: 1, Tests: []api.Triaged{{Suite: "p", Test: "T", Finding: api.Introduced}}}
	a := triageAnswer([]api.Triage{none, some})
	o := a.object.(triageObject)
	if text := strings.Join(a.text, "\n"); strings.Contains(text, seedNoRunYet) || o.Message != "" || len(o.Triages) != 1 || !strings.Contains(text, "1 introduced") {
		t.Errorf("%q %+v", a.text, o)
	}
	a = triageAnswer([]api.Triage{none, none})
	if o := a.object.(triageObject); o.Message != seedNoRunYet || len(a.text) != 1 || a.text[0] != seedNoRunYet {
		t.Errorf("%q %+v", a.text, o)
	}
}
