package sandbox_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/runner"
)

func TestACommandInTheBoxCannotEndWhatIsOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	outside, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	result, err := runner.Run(t.Context(), p.command("kill", outside))
	if err != nil {
		t.Fatal(err)
	}
	if result.Exit.Code == 0 || !strings.Contains(result.Stdout.String(), "still here") {
		t.Errorf("exit %+v: %s", result.Exit, result.Stdout.String())
	}
}

func TestADaemonEndsWithTheBox(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	sign := filepath.Join(p.cfg.Workspace, "alive")
	says(t, p.run("daemon", sign), "daemon: <nil>")
	before, err := os.ReadFile(sign)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if after, _ := os.ReadFile(sign); string(after) != string(before) {
		t.Error("it goes on")
	}
}

func TestTheLimitsOfAProcessHold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	says(t, p.run("fill", filepath.Join(p.cfg.Workspace, "big")), "256 MiB: file too large")
	says(t, p.run("fill", "/tmp/big"), "64 MiB: no space left on device")
	says(t, p.run("memory"), "memory: 0 cannot allocate memory")
	limits := strings.Join(strings.Fields(p.run("read", "/proc/self/limits")), " ")
	for _, want := range []string{`Max processes 4096 4096`, `Max core file size 0 0`} {
		if !strings.Contains(limits, want) {
			t.Errorf("no limit %q in %s", want, limits)
		}
	}
}

func TestACommandInTheBoxMakesNoFurtherNamespaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	help, err := exec.Command("bwrap", "--help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(help), "--disable-userns") {
		t.Skip("this bubblewrap is older than 0.8 and cannot forbid them")
	}
	says(t, p.run("unshare"), "unshare: no space left on device")
}

func TestACommandThatHangsStillSaysWhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cfg := p.command("hang")
	cfg.Deadline = 2 * time.Second
	result, err := runner.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Exit.TimedOut || !strings.Contains(result.Stderr.String(), "SIGQUIT: quit") {
		t.Errorf("exit %+v: %s", result.Exit, result.Stderr.String())
	}
}

func TestAnInterruptedCommandEndsInOrder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	cfg := p.command("interrupted")
	cfg.Sink = cancelOn("waiting", cancel)
	result, err := runner.Run(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Exit.Cancelled || !strings.Contains(result.Stdout.String(), "ending in order") {
		t.Errorf("exit %+v: %s", result.Exit, result.Stdout.String())
	}
}
