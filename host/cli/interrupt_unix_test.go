//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// await waits until something is so.
func await(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !so(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

// hasRun reports whether a test has started, without forgetting about it.
func (w *module) hasRun(test string) bool {
	raw, _ := os.ReadFile(filepath.Join(w.home, "ran"))
	return strings.Contains(string(raw), test+"\n")
}

// background is a proctor that is still running.
type background struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

func (w *module) start(args ...string) *background {
	w.t.Helper()
	b := &background{cmd: w.command(args...)}
	b.cmd.Stdout, b.cmd.Stderr = &b.stdout, &b.stderr
	if err := b.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { b.cmd.Process.Kill() })
	return b
}

func (b *background) end() reply {
	b.cmd.Wait()
	return reply{code: b.cmd.ProcessState.ExitCode(), stdout: b.stdout.String(), stderr: b.stderr.String()}
}

func TestAnInterruptKeepsWhatIsKnown(t *testing.T) {
	t.Parallel()
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(sent) { // as under nohup; so would what is started here
				signal.Notify(make(chan os.Signal, 1), sent)
			}
			w := newModule(t, files{"a/a_test.go": tests("a",
				"TestGood", pass, "TestBad", broken, "TestHang", `if os.Getenv("FIXED") == "" { select {} }`, "TestAfter", pass)})
			b := w.start("run", "--json")
			await(t, "TestHang", func() bool { return w.hasRun("a TestHang") })
			b.cmd.Process.Signal(sent)
			r := b.end()
			var run api.Run
			decodeLine(t, r, &run)
			if r.code != exitInterrupted || !run.Cancelled || run.State != api.StateFinished || run.Verdict != api.Failed {
				t.Errorf("exit %d, cancelled %v, %s, verdict %s", r.code, run.Cancelled, run.State, run.Verdict)
			}
			if f := failureOf(t, run, "TestBad"); f.Kind != "assertion" {
				t.Errorf("the failure before is %s", f.Kind)
			}
			if run.Counts.Passed != 1 || names(run.Unfinished) != "a TestHang" || names(run.NeverStarted) != "a TestAfter" {
				t.Errorf("%d passed; unfinished: %s; never started: %s", run.Counts.Passed, names(run.Unfinished), names(run.NeverStarted))
			}
			w.ran()
			step{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestAfter, a TestBad, a TestHang"}.happens(t, w)
		})
	}
}

// As `timeout` sends it: to the process and to its group.
func TestASignalThatComesTwiceAtOnceIsOneInterrupt(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass, "TestHang", "select {}")})
	b := w.start("run", "--json")
	await(t, "TestHang", func() bool { return w.hasRun("a TestHang") })
	for range 5 {
		b.cmd.Process.Signal(syscall.SIGINT)
	}
	r := b.end()
	var run api.Run
	decodeLine(t, r, &run)
	if r.code != exitInterrupted || !run.Cancelled || run.Counts.Passed != 1 {
		t.Errorf("exit %d, cancelled %v, %+v", r.code, run.Cancelled, run.Counts)
	}
	w.ran()
}

func TestASignalThatWasIgnoredFromTheStartEndsNothing(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestWaits", `for {
		if _, err := os.Stat(os.Getenv("HOME")+"/go"); err == nil {
			return
		}
	}`)})
	b := &background{cmd: w.command("run", "--json")}
	b.cmd.Args = []string{"sh", "-c", `trap "" HUP INT; exec "$@"`, "sh", b.cmd.Path, "run", "--json"}
	b.cmd.Path = "/bin/sh"
	b.cmd.Stdout, b.cmd.Stderr = &b.stdout, &b.stderr
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.cmd.Process.Kill() })
	await(t, "TestWaits", func() bool { return w.hasRun("a TestWaits") })
	b.cmd.Process.Signal(syscall.SIGHUP)
	b.cmd.Process.Signal(syscall.SIGINT)
	if err := os.WriteFile(filepath.Join(w.home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := b.end()
	r.expect(t, exitPassed, `"verdict":"passed"`)
	w.ran()
}

func TestAnInterruptIsNoEvidenceAgainstATest(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestLong", `if _, err := os.Stat(os.Getenv("HOME")+"/long"); err == nil { select {} }`)})
	long := filepath.Join(w.home, "long")
	w.proctor("run").expect(t, 0)
	w.ran()
	if err := os.WriteFile(long, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := w.start("run", "--json")
	await(t, "TestLong", func() bool { return w.hasRun("a TestLong") })
	b.cmd.Process.Signal(syscall.SIGINT)
	r := b.end()
	var run api.Run
	decodeLine(t, r, &run)
	if f := failureOf(t, run, "TestLong"); f.Standing != nil {
		t.Errorf("the user's interrupt is %+v", f.Standing)
	}
	w.proctor("history", "TestLong").expect(t, 0, "did not finish", "PU")
	if text := w.proctor("history").stdout; strings.Contains(text, "TestLong") {
		t.Errorf("worth knowing: %s", text)
	}
	// Nor is a time that was too short evidence that the test is flaky.
	w.proctor("run", "--timeout", "2").expect(t, exitTimedOut)
	if text := w.proctor("history", "--flaky").stdout; strings.Contains(text, "TestLong") {
		t.Errorf("flaky: %s", text)
	}
	w.ran()
}

func TestAnInterruptedRerunLeavesEverythingOutstanding(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a",
		"TestGood", pass, "TestHang", `if os.Getenv("HANG") != "" { select {} }`+"\n"+broken, "TestLast", broken)})
	w.proctor("run").expect(t, 1)
	w.ran()
	w.setenv("HANG=1")
	b := w.start("rerun", "--json")
	await(t, "TestHang", func() bool { return w.hasRun("a TestHang") })
	b.cmd.Process.Signal(syscall.SIGINT)
	r := b.end()
	var run api.Run
	decodeLine(t, r, &run)
	if r.code != exitInterrupted || !run.Cancelled || run.Verdict == api.Passed || run.Outstanding != 2 {
		t.Errorf("exit %d, cancelled %v, verdict %s, %d outstanding", r.code, run.Cancelled, run.Verdict, run.Outstanding)
	}
	if got := requestedText(run); got != "a TestHang: failed, a TestLast: did_not_run" || run.Requested[1].Why != "the run was stopped" {
		t.Errorf("requested %q", got)
	}
	w.ran()
	step{call: "rerun", env: []string{"HANG=", "FIXED=1"}, verdict: api.Passed, ran: "a TestHang, a TestLast"}.happens(t, w)
}

func TestAnInterruptedBuildVerifiesNothingAndLeavesNothingOutstanding(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		// A compiler that hangs.
		"bin/hang":    "#!/bin/sh\necho > \"$RAN_FILE\"\nexec sleep 600\n",
		"a/a_test.go": tests("a", "TestA", pass, "TestB", pass),
	})
	if err := os.Chmod(filepath.Join(w.dir, "bin", "hang"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := w.start("run", "--json", "--", "-toolexec", filepath.Join(w.dir, "bin", "hang"))
	await(t, "the build", func() bool { return w.hasRun("") })
	b.cmd.Process.Signal(syscall.SIGINT)
	r := b.end()
	var run api.Run
	decodeLine(t, r, &run)
	if r.code != exitInterrupted || run.Verdict != api.Incomplete || run.Outstanding != 0 || !strings.Contains(run.Reason, "interrupted before anything was verified") {
		t.Errorf("exit %d, verdict %s (%s), %d outstanding", r.code, run.Verdict, run.Reason, run.Outstanding)
	}
	w.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding, and the last run is not a pass: incomplete: interrupted before anything was verified")
	w.proctor("rerun").expect(t, exitNothingRan, "the last run is not a pass: incomplete: interrupted before anything was verified")
	if got := names(run.NeverStarted); got != "a TestA, a TestB" {
		t.Errorf("never started: %q", got)
	}
}

func TestATestProcessKilledFromOutsideIsIncomplete(t *testing.T) {
	tell(t, []story{{
		name: "by the kernel", tree: files{"a/a_test.go": tests("a", "TestA", pass,
			"TestB", `if os.Getenv("FIXED") == "" { p, _ := os.FindProcess(os.Getpid()); p.Kill(); select {} }`, "TestC", pass)},
		steps: []step{
			{code: exitIncomplete, verdict: api.Incomplete, outstanding: 2, ran: "a TestA, a TestB", says: []string{`"kind":"signal"`}},
			{call: "rerun", env: fixed, verdict: api.Passed, ran: "a TestB, a TestC"},
		},
	}})
}

func TestAnInterruptedRetryProvesNothing(t *testing.T) {
	t.Parallel()
	w, tries := newRetried(t), t.TempDir()
	w.write(files{".proctor.toml": "[run]\nflaky = \"pass\"\n"})
	w.setenv("TRIES="+tries, "FAILS=TestA=1 TestB=hang")
	b := w.start("run", "--json", "--retries", "2", "./p")
	await(t, "TestB again", func() bool {
		raw, _ := os.ReadFile(filepath.Join(tries, "p.testTestB"))
		return string(raw) == "2"
	})
	b.cmd.Process.Signal(syscall.SIGINT)
	r := b.end()
	var run api.Run
	decodeLine(t, r, &run)
	noted := slices.ContainsFunc(run.Warnings, func(n api.Note) bool { return n.Code == api.NoteRetry && strings.Contains(n.Text, "was cut short") })
	if r.code != exitInterrupted || run.Verdict != api.Failed || run.Counts.Flaky > 0 || len(run.Retried) != 2 || !noted {
		t.Errorf("exit %d, %s: %s, retried %+v, %+v", r.code, run.Verdict, run.Reason, run.Retried, run.Warnings)
	}
	w.setenv("FAILS=")
	w.proctor("rerun").expect(t, exitPassed, "PASSED")
}

func TestAnInterruptDuringARetryEndsTheRunAsInterrupted(t *testing.T) {
	t.Parallel()
	w := newRetried(t)
	tries := t.TempDir()
	w.setenv("TRIES="+tries, "FAILS=TestA=hang")
	b := w.start("run", "--json", "--retries", "1", "./p")
	await(t, "the retry", func() bool {
		raw, _ := os.ReadFile(filepath.Join(tries, "p.testTestA"))
		return string(raw) == "2"
	})
	b.cmd.Process.Signal(os.Interrupt)
	r := b.end()
	var run api.Run
	decodeLine(t, r, &run)
	if r.code != exitInterrupted || !run.Cancelled || run.Verdict != api.Failed || run.Counts.Flaky != 0 {
		t.Errorf("exit %d, cancelled %v, %s, %d flaky", r.code, run.Cancelled, run.Verdict, run.Counts.Flaky)
	}
}
