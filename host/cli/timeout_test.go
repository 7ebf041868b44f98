package cli

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// names lists tests, "PACKAGE TEST", by comma.
func names(tests []sdk.TestID) string {
	var texts []string
	for _, t := range tests {
		texts = append(texts, strings.TrimPrefix(t.Suite, "example.com/m/")+" "+t.Test)
	}
	return strings.Join(texts, ", ")
}

// failureOf finds the failure of a test.
func failureOf(t *testing.T, run api.Run, test string) api.Failure {
	t.Helper()
	for _, f := range run.Failures {
		if f.Test == test {
			return f
		}
	}
	t.Fatalf("no failure of %s among %d", test, len(run.Failures))
	return api.Failure{}
}

func TestATimeOutNamesWhatHungAndWhatNeverStarted(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestBefore", pass, "TestHang", sub("inner", hang), "TestAfter", pass)})
	run, r := w.object("run", "--timeout", "8")
	if r.code != exitTimedOut || run.Verdict != api.Incomplete || !run.TimedOut || run.ExitCode != 124 {
		t.Errorf("exit %d, verdict %s, timed_out %v, exit_code %d: %s", r.code, run.Verdict, run.TimedOut, run.ExitCode, run.Reason)
	}
	f := failureOf(t, run, "TestHang/inner")
	if f.Kind != "timeout" || f.File != "a/a_test.go" || f.Line == 0 {
		t.Errorf("the hung test is %s at %s:%d", f.Kind, f.File, f.Line)
	}
	if got := names(run.Unfinished); !strings.Contains(got, "a TestHang/inner") {
		t.Errorf("unfinished: %s", got)
	}
	if got := names(run.NeverStarted); got != "a TestAfter" {
		t.Errorf("never started: %s", got)
	}
	if run.Counts.Passed != 1 {
		t.Errorf("%d passed, want 1", run.Counts.Passed)
	}
	w.proctor("failures").expect(t, 0, "a TestHang/inner", "a/a_test.go:")
}

func TestATimeoutAfterAFailureIsBothAndTheRawFormSaysSo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestBad", fail, "TestHang", hang)})
	r := w.proctor("run", "--raw", "--timeout", "8")
	if r.code != exitTimedOut || !strings.HasSuffix(r.stdout, "\ntimed out after 8s\nexit: 124\n") {
		t.Errorf("exit %d: %q", r.code, r.stdout)
	}
	run, _ := w.object("runs", "show")
	if run.Verdict != api.Failed || !run.TimedOut || run.ExitCode != 124 {
		t.Errorf("verdict %s, timed_out %v, exit_code %d", run.Verdict, run.TimedOut, run.ExitCode)
	}
	if kind := failureOf(t, run, "TestBad").Kind; kind != "assertion" {
		t.Errorf("the ordinary failure is %s", kind)
	}
	if kind := failureOf(t, run, "TestHang").Kind; kind != "timeout" {
		t.Errorf("the hung test is %s", kind)
	}
}

func TestTheRunnersOwnTimeOutCountsAsOne(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestHang", hang, "TestAfter", pass)})
	run, r := w.object("run", "--", "-timeout", "300ms")
	if r.code != exitTimedOut || run.Verdict != api.Incomplete || !run.TimedOut {
		t.Errorf("exit %d, verdict %s, timed_out %v", r.code, run.Verdict, run.TimedOut)
	}
	if got := names(run.NeverStarted); got != "a TestAfter" {
		t.Errorf("never started: %s", got)
	}
}

// A test that ignores every signal but the last still leaves a record.
func TestATimeOutEndsATestThatWillNotEnd(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": strings.Replace(
		tests("a", "TestStubborn", "signal.Ignore()\ntime.Sleep(time.Hour)"), `"os"`, "\"os\"\n\t\"os/signal\"", 1)})
	run, r := w.object("run", "--timeout", "8", "--", "-timeout", "0")
	if r.code != exitTimedOut || !run.TimedOut {
		t.Errorf("exit %d, verdict %s: %s", r.code, run.Verdict, run.Reason)
	}
	if got := names(run.Unfinished); got != "a TestStubborn" {
		t.Errorf("unfinished: %q", got)
	}
}
