//go:build unix

package runner

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
)

// patiently runs a command with more and more time, until it has said a word this
// often: a busy machine may take seconds to start it.
func patiently(word string, times int, run func(long time.Duration) Result) (res Result) {
	for _, long := range []time.Duration{time.Second, patience / 4, patience / 2} {
		if res = run(long); strings.Count(res.Stdout.String(), word) >= times {
			break
		}
	}
	return res
}

// quickLimits are limits for tests that reach them.
func quickLimits() limits {
	lim := defaultLimits()
	lim.cancelGrace, lim.silence, lim.linger, lim.drain = 200*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond, 200*time.Millisecond
	return lim
}

// runUntil runs, and cancels once the output contains text.
func runUntil(t *testing.T, cfg Config, lim limits, text string) Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen strings.Builder
	cfg.Sink = func(_ context.Context, _ sdk.Stream, data []byte) error {
		seen.Write(data)
		if strings.Contains(seen.String(), text) {
			cancel()
		}
		return nil
	}
	res, err := run(ctx, cfg, lim)
	if err != nil {
		t.Fatal(err)
	}
	if res.Exit.Code == leftCode {
		t.Fatal("the process was left to itself")
	}
	return res
}

func TestDeadlineAsksForStacksFirst(t *testing.T) {
	t.Parallel()
	cfg := roleConfig("polite")
	res := patiently("ready", 1, func(long time.Duration) Result {
		cfg.Deadline = long
		return mustRun(t, cfg, defaultLimits())
	})
	if diff := cmp.Diff(sdk.Exit{Code: 124, TimedOut: true}, res.Exit); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
	if got := res.Stdout.String(); got != "ready\nasked by quit\n" {
		t.Errorf("output %q", got)
	}
	if res.Duration < cfg.Deadline {
		t.Errorf("took only %v", res.Duration)
	}
}

func TestDeadlineKillsACommandThatIgnoresSignals(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"deaf", "chatter"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			cfg := roleConfig(role)
			cfg.Grace = 100 * time.Millisecond
			word := "deaf"
			if role == "chatter" {
				// It does not handle SIGQUIT: its runtime exits with stacks.
				cfg.Grace, word = 0, "never ends"
			}
			res := patiently(word, 1, func(long time.Duration) Result {
				cfg.Deadline = long
				return mustRun(t, cfg, defaultLimits())
			})
			if !res.Exit.TimedOut || res.Exit.Cancelled || res.Exit.Code != 124 {
				t.Errorf("exit %+v", res.Exit)
			}
			if role == "deaf" && res.Exit.Signal != "SIGKILL" {
				t.Errorf("signal %q", res.Exit.Signal)
			}
			if role == "chatter" && !strings.Contains(res.Stderr.String(), "SIGQUIT: quit") {
				t.Errorf("no stacks: %q", res.Stderr.Tail(500))
			}
			if res.HeldOpen {
				t.Error("nobody held the output")
			}
		})
	}
}

func TestDeadlineThatHasPassedIsNotNone(t *testing.T) {
	t.Parallel()
	cfg := roleConfig("deaf")
	cfg.Deadline, cfg.Grace = -time.Second, 100*time.Millisecond
	if res := mustRun(t, cfg, defaultLimits()); !res.Exit.TimedOut {
		t.Errorf("exit %+v", res.Exit)
	}
}

func TestDeadlineAndCancelReachTheWholeGroup(t *testing.T) {
	t.Parallel()
	cfg := roleConfig("pair polite")
	pair := func(word string) Result {
		return patiently(word, 2, func(long time.Duration) Result {
			cfg.Deadline = long
			return mustRun(t, cfg, defaultLimits())
		})
	}
	res := pair("ready")
	if got := strings.Count(res.Stdout.String(), "asked by quit\n"); got != 2 || res.HeldOpen {
		t.Errorf("deadline: %d of 2 were asked, held open %v", got, res.HeldOpen)
	}
	cfg = roleConfig("pair deaf")
	cfg.Grace = 100 * time.Millisecond
	if res = pair("deaf"); res.HeldOpen {
		t.Error("the child was not killed")
	}
	res = runUntil(t, roleConfig("pair polite"), defaultLimits(), "ready\nready\n")
	if got := strings.Count(res.Stdout.String(), "asked by interrupt\n"); got != 2 || res.HeldOpen {
		t.Errorf("cancel: %d of 2 were asked, held open %v", got, res.HeldOpen)
	}
}

func TestCommandThatEndedInTimeIsNotTimedOutByWhatItLeft(t *testing.T) {
	t.Parallel()
	cfg := roleConfig("leave deaf")
	lim := defaultLimits()
	res := patiently("deaf", 1, func(long time.Duration) Result {
		cfg.Deadline, lim.silence = long, long+time.Second
		return mustRun(t, cfg, lim)
	})
	if res.Exit != (sdk.Exit{}) || !res.HeldOpen {
		t.Errorf("exit %+v, held open %v", res.Exit, res.HeldOpen)
	}
}

func TestCancelInterruptsThenKills(t *testing.T) {
	t.Parallel()
	polite := runUntil(t, roleConfig("polite"), defaultLimits(), "ready")
	if diff := cmp.Diff(sdk.Exit{Code: 7, Cancelled: true}, polite.Exit); diff != "" {
		t.Errorf("polite: exit (-want +got):\n%s", diff)
	}
	if got := polite.Stdout.String(); got != "ready\nasked by interrupt\n" {
		t.Errorf("polite: output %q", got)
	}
	deaf := runUntil(t, roleConfig("deaf"), quickLimits(), "deaf")
	if diff := cmp.Diff(sdk.Exit{Code: -1, Signal: "SIGKILL", Cancelled: true}, deaf.Exit); diff != "" {
		t.Errorf("deaf: exit (-want +got):\n%s", diff)
	}
}

func TestCancelDuringTheGraceOfADeadlineKillsAtOnce(t *testing.T) {
	t.Parallel()
	cfg := roleConfig("stubborn")
	cfg.Grace = time.Hour
	lim := defaultLimits()
	lim.cancelGrace = time.Hour
	res := patiently("asked by quit", 1, func(long time.Duration) Result {
		cfg.Deadline = long
		return runUntil(t, cfg, lim, "asked by quit")
	})
	if diff := cmp.Diff(sdk.Exit{Code: 124, Signal: "SIGKILL", TimedOut: true}, res.Exit); diff != "" {
		t.Errorf("exit (-want +got):\n%s", diff)
	}
}

func TestLeftoverThatHoldsTheOutputIsKilled(t *testing.T) {
	t.Parallel()
	lim := defaultLimits()
	res := patiently("deaf", 1, func(long time.Duration) Result {
		lim.silence = long
		return mustRun(t, roleConfig("leave deaf"), lim)
	})
	if !res.HeldOpen || res.Exit != (sdk.Exit{}) {
		t.Errorf("held open %v, exit %+v", res.HeldOpen, res.Exit)
	}
	pid := 0
	if _, err := fmt.Sscanf(res.Stdout.String(), "deaf %d", &pid); err != nil {
		t.Fatalf("output %q: %v", res.Stdout.String(), err)
	}
	if !endsSoon(pid) {
		t.Error("it still lives")
	}
}

func TestALeftoverThatKeepsWritingIsKilled(t *testing.T) {
	t.Parallel()
	res := mustRun(t, roleConfig("leave chatter"), quickLimits())
	if !res.HeldOpen || res.Exit != (sdk.Exit{}) {
		t.Errorf("held open %v, exit %+v", res.HeldOpen, res.Exit)
	}
}

func TestLastOutputOfALeftoverIsRead(t *testing.T) {
	t.Parallel()
	res := mustRun(t, roleConfig("leave late PARENT"), defaultLimits())
	if got := res.Stdout.String(); got != "late\nlast words\n" || res.HeldOpen {
		t.Errorf("output %q, held open %v", got, res.HeldOpen)
	}
}

func TestLeftoverThatCannotBeKilledDoesNotHoldUpTheRun(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"deaf", "chatter"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			lim := quickLimits()
			word := map[string]string{"deaf": "deaf", "chatter": "never ends"}[role]
			res := patiently(word, 1, func(long time.Duration) Result {
				lim.silence = long
				return mustRun(t, roleConfig("escape "+role), lim)
			})
			if !res.HeldOpen || res.Exit != (sdk.Exit{}) {
				t.Errorf("held open %v, exit %+v", res.HeldOpen, res.Exit)
			}
			// SIGPIPE ends the chatterer.
			pid := 0
			if _, err := fmt.Sscanf(res.Stdout.String(), "deaf %d", &pid); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			} else if role == "deaf" {
				t.Error(err)
			}
		})
	}
}

// endsSoon waits until a process that is not our child is gone.
func endsSoon(pid int) bool {
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		// If nobody reaps orphans, a dead one remains a zombie.
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}
