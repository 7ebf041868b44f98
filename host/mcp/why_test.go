package mcp

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/sdk"
)

// git turns the site's workspace into a repository, or commits what is in it.
func (s *site) git(t testing.TB, args ...string) {
	t.Helper()
	cmd := exec.Command(needs.Program(t, "git"), append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = s.dir, s.server.cfg.Place.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// The questions after a red run in one workspace: when did it pass, what changed, is it
// mine, and what is on record.
func TestWhatAnAgentAsksAfterARedRun(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{
		"add.sh":     "echo $(($1 + $2))\n",
		"sub.sh":     "echo $(($1 + $2))\n",
		".gitignore": "/.proctor/\n",
		"a.tests":    shellTests("TestAdd", "[ $(sh add.sh 1 2) = 3 ] || { echo 1 + 2 is not 3; false; }", "TestSub", "[ $(sh sub.sh 3 1) = 2 ] || { echo 3 - 1 is not 2; false; }"),
	})
	s.git(t, "init", "-q", "-b", "main")
	s.git(t, "add", "-A")
	s.git(t, "commit", "-q", "-m", "x")
	c := s.connect(t)
	if r := c.call(t, "why_failing", nil); r.failed || r.str("message") != seedNoRunYet {
		t.Errorf("before any run: %q", r.texts)
	}
	if r := c.call(t, "test_history", nil); r.failed || r.str("message") != "nothing is on record in this workspace yet: the first run begins its history" || r.texts[0] != r.str("message") {
		t.Errorf("before any run: %q", r.texts)
	}
	c.call(t, "triage_failures", nil).says(t, api.NoRunYet, false)
	first := c.call(t, "run_tests", nil).str("run_id")
	s.write(t, files{"add.sh": "echo $(($1 - $2))\n"})
	second := c.call(t, "run_tests", nil).str("run_id")

	why := c.call(t, "why_failing", map[string]any{"test": "TestAdd"})
	if text := why.text(); !strings.Contains(text, "It last passed in run "+first) || !strings.Contains(text, "Changed before it first failed:\n   add.sh") {
		t.Errorf("%s", text)
	}
	var w api.Why
	why.into(t, &w)
	if w.LastPass == nil || w.LastPass.RunID != first || w.SuspectsTotal != 1 || w.Suspects[0].File != "add.sh" {
		t.Errorf("%s", why.raw)
	}

	for _, args := range []map[string]any{nil, {"run_id": second}, {"against": first}, {"run_id": second, "against": first}} {
		diff := c.call(t, "why_failing", args)
		var d api.RunDiff
		diff.into(t, &d)
		if d.Before.RunID != first || d.Now.RunID != second || d.Counts.NewFailures != 1 || d.NewFailures[0].Test != "TestAdd" || d.Counts.StillFailing != 1 {
			t.Errorf("%v: %s", args, diff.raw)
		}
		if !strings.HasSuffix(diff.text(), d.Message) || !strings.Contains(diff.text(), "new failures (1):\n   a TestAdd") {
			t.Errorf("%v: %s", args, diff.text())
		}
	}

	triage := c.call(t, "triage_failures", nil)
	var o triageObject
	triage.into(t, &o)
	if len(o.Triages) != 1 || o.Triages[0].Introduced != 1 || o.Triages[0].PreExisting != 1 || o.Triages[0].Tests[0].Test != "TestAdd" {
		t.Errorf("%s", triage.raw)
	}
	if text := triage.text(); !strings.Contains(text, "1 introduced, 1 pre-existing: 2 failing tests, run on a clean checkout of HEAD") ||
		!strings.Contains(text, "introduced: a TestAdd: ") {
		t.Errorf("%s", text)
	}
	one := c.call(t, "triage_failures", map[string]any{"tests": "TestSub"})
	one.into(t, &o)
	if o.Triages[0].PreExisting != 1 || o.Triages[0].Introduced != 0 || strings.Contains(one.text(), "--no-cache") {
		t.Errorf("%s", one.text())
	}
	if r := c.call(t, "last_test_failures", nil); r.str("run_id") != second {
		t.Errorf("a triage changed the last run: %s", r.raw)
	}

	askHistory(t, c)
	for args, want := range map[*map[string]any]string{
		{"tool": "why_failing", "test": "TestNone"}:                 "test_history names tests worth knowing about",
		{"tool": "why_failing", "test": "TestAdd", "run_id": first}: "Leave out run_id",
		{"tool": "why_failing", "run_id": "zzzz"}:                   "no run \"zzzz\"",
		{"tool": "triage_failures", "tests": []string{"TestNone"}}:  "last_test_failures lists those that did",
		{"tool": "triage_failures", "base": "nowhere"}:              "nowhere",
		{"tool": "test_history", "test": "TestNone"}:                "list_tests",
		{"tool": "test_history", "test": "a", "file": "b"}:          "not both",
		{"tool": "test_history", "cursor": "x"}:                     "next_cursor",
		{"tool": "test_history", "classification": "bad"}:           "gap, passed, fixed, regression, failing",
	} {
		tool := (*args)["tool"].(string)
		delete(*args, "tool")
		if r := c.call(t, tool, *args); !r.failed || !strings.Contains(r.text(), want) || strings.Contains(r.text(), "`proctor") {
			t.Errorf("%s %v: isError %v, %q", tool, *args, r.failed, r.texts)
		}
	}
}

// askHistory asks about two runs, the second of which broke TestAdd, and a triage.
func askHistory(t *testing.T, c *client) {
	t.Helper()
	var h historyObject
	r := c.call(t, "test_history", nil)
	r.into(t, &h)
	if h.TestsTotal != 2 || len(h.Tests) != 2 || !strings.Contains(r.text(), "1. a TestAdd") || !strings.Contains(r.text(), "3 runs in 1 session") {
		t.Errorf("%s %s", r.text(), r.raw)
	}
	page := c.call(t, "test_history", map[string]any{"limit": 1})
	page.into(t, &h)
	if h.NextCursor != "1" || len(h.Tests) != 1 || !strings.Contains(page.text(), `(1 more test; cursor "1" shows the next)`) {
		t.Errorf("%s %s", page.text(), page.raw)
	}
	firstTest := h.Tests[0].Test
	h = historyObject{}
	c.call(t, "test_history", map[string]any{"limit": 1, "cursor": 1}).into(t, &h)
	if h.NextCursor != "" || len(h.Tests) != 1 || h.Tests[0].Test == firstTest {
		t.Errorf("the second page: %+v", h)
	}
	h = historyObject{}
	r = c.call(t, "test_history", map[string]any{"test": "TestAdd", "limit": 1})
	r.into(t, &h)
	if len(h.Timeline) != 1 || h.Timeline[0].Status != sdk.Failed || h.NextCursor != "1" || !strings.Contains(r.text(), "(there are older ones; cursor \"1\" shows the next)") {
		t.Errorf("%s %s", r.text(), r.raw)
	}
	h = historyObject{}
	c.call(t, "test_history", map[string]any{"test": "TestAdd", "cursor": "1"}).into(t, &h)
	if len(h.Timeline) != 1 || h.Timeline[0].Status != sdk.Passed || h.NextCursor != "" {
		t.Errorf("%+v", h)
	}
	h = historyObject{}
	r = c.call(t, "test_history", map[string]any{"file": "a.tests"})
	r.into(t, &h)
	if h.File != "a.tests" || len(h.Entries) != 1 || h.Entries[0].Status != api.StatusUnresolved || h.Entries[0].File != "a.tests" {
		t.Errorf("%s", r.raw)
	}
	r = c.call(t, "test_history", map[string]any{"classification": "fixed"})
	if r.failed || r.texts[0] != "no test on record is fixed" || r.str("message") != r.texts[0] {
		t.Errorf("%q", r.texts)
	}
	if r := c.call(t, "test_history", map[string]any{"slow": true}); r.failed || r.object["durations"] == nil && r.str("message") == "" {
		t.Errorf("%s", r.raw)
	}
}

func TestLongComparisonsAreBoundedAndCounted(t *testing.T) {
	t.Parallel()
	d := api.RunDiff{Counts: api.DiffCounts{NewFailures: 1000, Fixed: 1000}, Message: "1000 new failures", Warnings: api.Notes("", evil)}
	w := api.Why{Suite: evil, Test: evil, SuspectsTotal: 1000, FirstFailure: &api.Sighting{}, Latest: &api.Sighting{Message: strings.Repeat(evil, 1<<16)}}
	tr := api.Triage{Introduced: 100, PreExisting: 100, Warnings: api.Notes("", evil)}
	h := api.History{TestsTotal: 200}
	long := strings.Repeat(evil, 1<<8)
	for i := range 300 {
		one := api.DiffedTest{Suite: long, Test: fmt.Sprint(i, long), Message: long}
		d.NewFailures, d.Fixed = append(d.NewFailures, one), append(d.Fixed, one)
		w.Suspects = append(w.Suspects, api.Suspect{FileChange: api.FileChange{File: long}})
		if i < 200 {
			finding := []api.Finding{api.PreExisting, api.Introduced}[i%2]
			tr.Tests = append(tr.Tests, api.Triaged{Suite: long, Test: fmt.Sprint(i, long), Why: fmt.Sprint(i, long), Excerpt: long, Finding: finding})
			h.Tests = append(h.Tests, api.TestHistory{Suite: long, Test: long, File: long, Last: &api.TimelinePoint{Excerpt: long}})
		}
	}
	for what, a := range map[string]answer{"diff": diffAnswer(d), "why": whyAnswer(w), "triage": triageAnswer([]api.Triage{tr, tr}), "history": historyAnswer(h, 0, 500)} {
		if !a.fitsIn(maxAnswerBytes) {
			t.Errorf("%s: more than %d bytes", what, maxAnswerBytes)
		}
		for _, block := range a.text {
			checkPlain(t, what, block)
			for _, line := range strings.Split(block, "\n") {
				if strings.HasPrefix(line, "exit: ") || strings.Contains(line, "-v or --json") || strings.Contains(line, "--limit") {
					t.Errorf("%s: %q", what, line)
				}
			}
		}
	}
	cut := triageAnswer([]api.Triage{tr})
	if text := strings.Join(cut.text, "\n"); !strings.Contains(text, "100 introduced, 100 pre-existing: 200 failing tests") || !strings.Contains(text, " more; name some in tests") {
		t.Errorf("%s", abridged(text))
	}
	if tests := cut.object.(triageObject).Triages[0].Tests; len(tests) == 0 || len(tests) >= 200 || tests[0].Finding != api.Introduced {
		t.Errorf("%d tests", len(tests))
	}
}

func TestATriageNamesFewOfTheTestsThatAreAlike(t *testing.T) {
	t.Parallel()
	tr := api.Triage{Language: "go", Introduced: 100, PreExisting: 1}
	for i := range 100 {
		tr.Tests = append(tr.Tests, api.Triaged{Suite: fmt.Sprint("s", i%2), Test: fmt.Sprint("T", i), Finding: api.Introduced, Why: "it passes there"})
	}
	tr.Tests = append(tr.Tests, api.Triaged{Suite: "s0", Test: "TestOld", Finding: api.PreExisting, Why: "the same failure there"})
	a := triageAnswer([]api.Triage{tr})
	text := strings.Join(a.text, "\n")
	if n := strings.Count(text, "introduced: "); n != 2*maxAlike || !strings.Contains(text, "pre-existing: s0 TestOld") || !strings.Contains(text, "(94 more; name some in tests") {
		t.Errorf("%d named:\n%s", n, text)
	}
	if one := a.object.(triageObject).Triages[0]; len(one.Tests) != 2*maxAlike+1 || one.Introduced != 100 {
		t.Errorf("%d tests, %d introduced", len(one.Tests), one.Introduced)
	}
}
