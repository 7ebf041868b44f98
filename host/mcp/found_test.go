package mcp

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/sdk"
)

const heldInGo = `
	hold := os.Getenv("HOLD")
	os.WriteFile(hold+".held", nil, 0o600)
	for {
		if _, err := os.Stat(hold); err != nil {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}`

func TestWhatDoesNotBuildIsToldWhileOtherTestsRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"a/a_test.go": strings.Replace(tests("TestA", "undefined()"), "package m", "package a", 1),
		"b/b_test.go": strings.Replace(tests("TestB", `var unused int`), "package m", "package b", 1),
		"c/c_test.go": tests("TestHeld", heldInGo),
	})
	release := s.hold(t)
	c := s.connect(t)
	id := c.call(t, "run_tests", with{"wait": 0}).str("run_id")
	var r result
	until(t, "what does not build", func() bool {
		r = c.call(t, "get_run", nil)
		return r.object["not_built_total"] == 2.0 && s.isHeld()
	})
	if r.str("status") != "running" || r.str("run_id") != id {
		t.Errorf("%s", r.raw)
	}
	for _, want := range []string{
		"not built so far:\n", "  example.com/m/a: a/a_test.go:16:27: undefined: undefined", "  example.com/m/b: b/b_test.go:16:31: declared and not used: unused",
	} {
		if !strings.Contains(r.text(), want) {
			t.Errorf("%q does not have %q", r.texts, want)
		}
	}
	release()
	r = c.call(t, "get_run", with{"wait": 60})
	if r.str("status") != "build_failed" || r.object["not_built"] != nil || r.object["failures_total"] != 2.0 {
		t.Errorf("%s", r.raw)
	}
}

func TestTheAnswerAboutARunInProgressIsBounded(t *testing.T) {
	t.Parallel()
	j := newJob(task{id: "r"}, "", t.Context(), func(error) {})
	message := strings.Repeat(evil, 100<<10/len(evil))
	const total = 2 * pick.MostFound
	for i := range total {
		j.Listen(&api.FailureFound{Failure: hostileFailure(i, message)})
		j.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: message, Outcome: sdk.SuiteBuildFailed, Reason: message}})
	}
	a := (&call{session: &session{server: &Server{}}}).progressAnswer(j)
	o, _ := a.object.(runObject)
	if n := len(o.Failures); !a.fitsIn(maxAnswerBytes) || n == 0 || n == pick.MostFound || len(o.NotBuilt) != n || o.FailuresTotal != total || o.NotBuiltTotal != total {
		t.Errorf("%d failures and %d suites of %d and %d", n, len(o.NotBuilt), o.FailuresTotal, o.NotBuiltTotal)
	}
	// Whether a failure counts is not known before the end.
	for form, text := range map[string]string{"text": strings.Join(a.text, "\n"), "object": o.Message} {
		if !strings.Contains(text, "its end tells which failures are in quarantine") {
			t.Errorf("the %s: %s", form, text)
		}
	}
}

func TestWhatDoesNotBuildIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	var r reporter
	now := time.Now()
	due := func(s status) string {
		if p, ok := r.next(s, now, time.Hour); ok {
			return p.Message
		}
		return ""
	}
	s := status{word: "running", run: &api.Run{}, since: now}
	if due(s) == "" || due(s) != "" {
		t.Fatal("not once")
	}
	s.found = pick.Found{NotBuilt: []pick.NotBuilt{{Suite: "p", Reason: "a.go:1: no"}}, NotBuiltTotal: 1}
	if got := due(s); !strings.Contains(got, "not built: p: a.go:1: no") || due(s) != "" {
		t.Errorf("reported %q", got)
	}
}
