package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// failedRun is a run with these failures.
func failedRun(failures ...api.Failure) api.Run {
	run := api.Run{Verdict: api.Failed, Reason: "failures", FailuresTotal: len(failures), Failures: failures}
	for _, f := range failures {
		run.Results = append(run.Results, api.Result{TestResult: sdk.TestResult{TestID: f.TestID, Status: sdk.Failed}})
	}
	return run
}

func failedAt(n int, file string) api.Failure {
	return api.Failure{ID: fmt.Sprint(n), Signature: fmt.Sprint("cause", n), Failure: sdk.Failure{
		TestID: sdk.TestID{Suite: "p", Test: fmt.Sprintf("Test%02d", n)}, Kind: sdk.KindAssertion, Location: sdk.Location{File: file, Line: n}, Message: "wrong",
	}}
}

func annotations(t *testing.T, run api.Run, o report.Options) []string {
	t.Helper()
	var b bytes.Buffer
	write(t, &b, report.GitHubName, o, api.RunFinished{Run: run, Record: record{run}})
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestAnnotationsAreNineAndTheTenthSaysHowManyMore(t *testing.T) {
	var failures []api.Failure
	for n := range 12 {
		failures = append(failures, failedAt(n+1, "a_test.go"))
	}
	got := annotations(t, failedRun(failures...), report.Options{})
	if len(got) != 10 || !strings.Contains(got[9], "3 more causes") {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
	if got := annotations(t, failedRun(failures[:9]...), report.Options{}); len(got) != 9 {
		t.Errorf("%d annotations of 9 causes", len(got))
	}
}

func TestWhatIsNewAndInTheChangeIsAnnotatedFirst(t *testing.T) {
	known, changed, regressed := failedAt(1, "a_test.go"), failedAt(2, "b_test.go"), failedAt(3, "c_test.go")
	regressed.Standing = &api.Standing{Classification: api.Regression}
	got := annotations(t, failedRun(known, changed, regressed), report.Options{Prefix: "mod/", Touched: map[string]bool{"mod/b_test.go": true}})
	for i, file := range []string{"mod/c_test.go,line=3", "mod/b_test.go,line=2", "mod/a_test.go,line=1"} {
		if !strings.Contains(got[i], "file="+file+"::") {
			t.Errorf("%d. is %s, want %s", i+1, got[i], file)
		}
	}
}

// What keeps tests from running comes first, then what is new, then what is older, and last what did not run.
func TestCausesAreInTheOrderInWhichToLookAtThem(t *testing.T) {
	of := func(n int, cause string, c api.Classification) api.Failure {
		f := failedAt(n, "a_test.go")
		if f.Signature = cause; c != "" {
			f.Standing = &api.Standing{Classification: c}
		}
		return f
	}
	unbuilt, died := failedAt(9, "b_test.go"), of(8, "died", api.Failing)
	unbuilt.TestID, unbuilt.Kind, died.Kind = sdk.TestID{Suite: "q"}, sdk.KindBuild, sdk.KindExit
	run := failedRun(of(1, "old", api.Failing), of(2, "gap", api.Gap), of(3, "unknown", ""), of(4, "new", api.Regression), of(5, "late", api.Failing), of(6, "late", api.Regression), died)
	run.Failures, run.FailuresTotal = append(run.Failures, unbuilt), run.FailuresTotal+1
	run.NeverStarted = []sdk.TestID{{Suite: "r", Test: "A"}, {Suite: "r", Test: "B"}, {Suite: "s", Test: "A"}}
	run.Counts.NeverStarted = 3
	want := []string{"q (suite)", "p Test04", "p Test05 and 1", "p Test03", "p Test02", "p Test01", "p Test08", "r A and 1", "s A"}
	for i, line := range annotations(t, run, report.Options{}) {
		title, message, _ := strings.Cut(strings.TrimPrefix(line, "::error title="), "::")
		title, _, _ = strings.Cut(title, ",")
		if _, more, ok := strings.Cut(message, "%0A"); ok {
			title += " and " + strings.TrimSuffix(more, " more like it")
		}
		if i >= len(want) || title != want[i] {
			t.Errorf("%d. is %s", i+1, title)
		}
	}
}

func TestAnAnnotationIsOneCommandWhateverItSays(t *testing.T) {
	f := failedAt(1, "a,b:c%.go")
	f.Test, f.Message = "Test,x::y%", "50%\n::error::owned\r\n\x1b[31mred"
	outside := failedAt(2, "/etc/passwd")
	got := annotations(t, failedRun(f, outside), report.Options{})
	if len(got) != 2 {
		t.Fatalf("%q", got)
	}
	if want := "::error title=p Test%2Cx%3A%3Ay%25,file=a%2Cb%3Ac%25.go,line=1::"; !strings.HasPrefix(got[0], want) {
		t.Errorf("got %q, want %q", got[0], want)
	}
	if strings.Contains(got[1], "file=") {
		t.Errorf("a file outside of the repository: %q", got[1])
	}
}

func TestWhatDoesNotDecideIsAWarning(t *testing.T) {
	f := failedAt(1, "a_test.go")
	f.Quarantine = "known"
	run := failedRun(f)
	run.Verdict, run.Quarantined = api.Passed, 1
	if got := annotations(t, run, report.Options{}); len(got) != 1 || !strings.HasPrefix(got[0], "::warning ") {
		t.Errorf("%q", got)
	}
	var many []api.Failure
	for n := range 12 {
		many = append(many, failedAt(n, "a_test.go"))
		many[n].Quarantine = "known"
	}
	run = failedRun(many...)
	run.Verdict, run.Quarantined = api.Passed, 12
	if got := annotations(t, run, report.Options{}); len(got) != 9 || !strings.HasPrefix(got[8], "::warning ") {
		t.Errorf("of 12: %q", got)
	}
	if got := annotations(t, api.Run{Verdict: api.NothingRan, Reason: "no test matches"}, report.Options{}); len(got) != 1 || !strings.HasPrefix(got[0], "::error ") {
		t.Errorf("a run of nothing: %q", got)
	}
}

func TestASummaryDoesNotOverfillThatOfItsStep(t *testing.T) {
	d := report.NewDocument(api.RunFinished{Run: failedRun(failedAt(1, "a_test.go"))})
	for size, want := range map[int64]bool{0: true, 900 << 10: false} {
		var b bytes.Buffer
		if written, err := report.WriteSummary(&b, d, report.Options{}, size); err != nil || written != want || written != (b.Len() > 0) {
			t.Errorf("with %d bytes: written %v, %v, %d bytes", size, written, err, b.Len())
		}
	}
}
