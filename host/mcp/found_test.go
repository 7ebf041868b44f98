package mcp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/host/workspace"
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
	if r.str("status") != "build_failed" || r.object["not_built"] != nil || strings.Count(string(r.raw), `"kind":"build"`) != 2 {
		t.Errorf("%s", r.raw)
	}
}

// go test builds z only when a's tests have ended.
func TestWhatDoesNotBuildIsToldBeforeTheFirstTestStarts(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{
		"a/a_test.go": tests("TestHeld", heldInGo),
		"y/y_test.go": tests("TestY", `fmt.Printf("%d", "y")`),
		"z/z_test.go": tests("TestZ", "undefined()"),
	})
	release := s.hold(t)
	// Other tests do without vet.
	env := &s.server.cfg.Keeper.Cfg.Env
	*env = workspace.Setenv(*env, "GOFLAGS", "-ldflags=-w")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	told := map[string]string{}
	var found pick.Found
	do := s.server.session(s.server.cfg.Keeper).runWork(api.RunRequest{Where: api.Where{Dir: s.dir}, RunnerArgs: []string{"-p=1"}, Check: true})
	o, err := do(ctx, api.ListenerFunc(func(e api.Event) {
		found.Listen(e)
		foretold, ok := e.(*api.BuildForetold)
		if !ok {
			return
		}
		if s.isHeld() {
			t.Errorf("a test had started before %s was told", foretold.Suite)
		}
		if told[foretold.Suite] = foretold.Reason; len(told) == 2 {
			release()
		}
		if found.NotBuiltTotal != len(told) {
			t.Errorf("%d suites are told, not %d", found.NotBuiltTotal, len(told))
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for suite, place := range map[string]string{"example.com/m/y": "y/y_test.go:16:", "example.com/m/z": "z/z_test.go:16:"} {
		if !strings.HasPrefix(told[suite], place) {
			t.Errorf("of %s it says %q", suite, told[suite])
		}
	}
	if o.run.Verdict != api.BuildFailed || o.run.Counts.Passed != 1 || o.run.FailuresTotal != 2 || found.NotBuiltTotal != 2 || len(o.run.Warnings) != 0 {
		t.Errorf("%+v", o.run)
	}
}

func TestWhatACheckSaidIsTakenBackIfTheTestsRun(t *testing.T) {
	t.Parallel()
	var f pick.Found
	suite := func(name string, o sdk.SuiteOutcome) sdk.SuiteResult { return sdk.SuiteResult{Suite: name, Outcome: o} }
	f.Listen(&api.BuildForetold{SuiteResult: suite("a", sdk.SuiteBuildFailed)})
	f.Listen(&api.BuildForetold{SuiteResult: suite("b", sdk.SuiteBuildFailed)})
	f.Listen(&api.SuiteEnded{SuiteResult: suite("a", sdk.SuitePassed)})
	f.Listen(&api.SuiteEnded{SuiteResult: suite("b", sdk.SuiteBuildFailed)})
	if f.NotBuiltTotal != 1 || len(f.NotBuilt) != 1 || f.NotBuilt[0].Suite != "b" {
		t.Errorf("%+v", f)
	}
	f = pick.Found{}
	for i := range pick.MostFound + 1 {
		f.Listen(&api.BuildForetold{SuiteResult: suite(fmt.Sprint("p", i), sdk.SuiteBuildFailed)})
	}
	for i := range pick.MostFound {
		f.Listen(&api.SuiteEnded{SuiteResult: suite(fmt.Sprint("p", i), sdk.SuitePassed)})
	}
	if line := f.Line(); line != fmt.Sprint("not built: p", pick.MostFound) {
		t.Errorf("the suite that is left is not told: %q", line)
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
