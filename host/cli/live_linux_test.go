package cli

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// slow is a module with a failure, some tests after it, and a test that takes
// its time.
func slow() files {
	return files{"a/a_test.go": tests("a", "TestBad", fail,
		"Test1", pass, "Test2", pass, "Test3", pass, "Test4", pass, "Test5", pass,
		"TestSlow", "time.Sleep(1500 * time.Millisecond)")}
}

// inTerminal is a call of proctor as it is made by hand.
func (w *module) inTerminal(columns int, args ...string) *pseudoTerminal {
	w.t.Helper()
	w.setenv("TERM=xterm-256color")
	return openTerminal(w.t, columns, 50, w.command(args...))
}

var (
	colors  = regexp.MustCompile("\x1b\\[[0-9;]*m")
	volumes = regexp.MustCompile(`[0-9]+\.[0-9]s|run [a-z0-9]{10}`)
)

func TestALiveDisplayShowsWhatHappensAndLeavesACleanScreen(t *testing.T) {
	t.Parallel()
	w := newModule(t, slow())
	term := w.inTerminal(100, "run")
	await(t, "the failure and the running test on the screen", func() bool {
		screen := term.screen()
		return strings.Contains(screen, "✗ a TestBad  a/a_test.go:31  wrong") && strings.Contains(screen, "1 failed") &&
			strings.Contains(screen, "5 passed") && strings.Contains(screen, "1 running") && strings.Contains(screen, "s  a TestSlow")
	})
	if code := term.end(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	want := `✗ a TestBad
  a/a_test.go:31
    29 │ func TestBad(t *testing.T) {
    30 │     ran(t)
  ▸ 31 │     t.Error("wrong")
  wrong

FAILED  1 test · 6 passed · TIME
RUN · again: proctor rerun · one: proctor output TestBad`
	first, screen, _ := strings.Cut(term.screen(), "\n")
	if !strings.HasPrefix(first, "ws · go · go test -json ") {
		t.Errorf("the first line is %q", first)
	}
	screen = volumes.ReplaceAllStringFunc(screen, func(s string) string {
		if strings.HasPrefix(s, "run") {
			return "RUN"
		}
		return "TIME"
	})
	if screen != want {
		t.Errorf("on the screen:\n%s\nwant:\n%s", screen, want)
	}
	if !colors.MatchString(term.text()) {
		t.Error("no colors on a terminal")
	}
}

func TestTerminalsGetOnlyTheColorsAndRedrawingTheyWant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, env      string
		args           []string
		colors, redraw bool
	}{
		{"NO_COLOR", "NO_COLOR=1", nil, false, true},
		{"--color never", "", []string{"--color", "never"}, false, true},
		{"dumb", "TERM=dumb", nil, false, false},
		{"CI", "CI=true", nil, true, false},
		{"quiet", "", []string{"-q"}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": tests("a", "TestBad", fail, "TestSlow", "time.Sleep(500 * time.Millisecond)")})
			w.setenv("TERM=xterm")
			if c.env != "" {
				w.setenv(c.env)
			}
			term := openTerminal(t, 100, 50, w.command(append([]string{"run"}, c.args...)...))
			term.end()
			text := term.text()
			if got := colors.MatchString(text); got != c.colors {
				t.Errorf("colors: %v, want %v", got, c.colors)
			}
			if got := strings.Contains(text, "\x1b[J"); got != c.redraw {
				t.Errorf("redrawn: %v, want %v", got, c.redraw)
			}
			if !c.colors && !c.redraw && strings.Contains(text, "\x1b") {
				t.Errorf("an escape sequence in %q", text)
			}
			if screen := term.screen(); strings.Contains(screen, "running") || !strings.Contains(screen, "FAILED  1 test") {
				t.Errorf("on the screen:\n%s", screen)
			}
		})
	}
}

func TestLongAndWideNamesDoNotSpoilTheDisplay(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a",
		"TestWide", `t.Run("`+strings.Repeat("テスト", 20)+`", func(t *testing.T) { time.Sleep(700 * time.Millisecond) })`,
		"TestLong", `t.Run("`+strings.Repeat("long", 40)+`", func(t *testing.T) { time.Sleep(700 * time.Millisecond) })`)})
	term := w.inTerminal(40, "run")
	await(t, "a wide name", func() bool { return strings.Contains(term.text(), "テ") })
	if code := term.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	screen := term.screen()
	if strings.Count(screen, "PASSED  2 tests") != 1 || strings.Contains(screen, "テ") || strings.Contains(screen, "long") {
		t.Errorf("on the screen:\n%s", screen)
	}
}

func TestCtrlCInATerminalEndsTheRunCleanly(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass, "TestHang", "time.Sleep(time.Hour)", "TestAfter", pass)})
	term := w.inTerminal(100, "run")
	await(t, "TestHang on the screen", func() bool { return strings.Contains(term.screen(), "TestHang") })
	if _, err := term.master.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if code := term.end(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	screen := term.screen()
	for _, text := range []string{"… a TestHang", "– a TestAfter never started", "STOPPED  by you after "} {
		if !strings.Contains(screen, text) {
			t.Errorf("%q is missing on the screen:\n%s", text, screen)
		}
	}
	if strings.Contains(screen, "1 running") {
		t.Errorf("the display is still there:\n%s", screen)
	}
}

func TestATerminalIsASession(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	w := newModule(t, files{"a/a_test.go": tests("a", "TestBad", fail)})
	inShell := func(script string) string {
		cmd := w.command()
		cmd.Path, cmd.Args = shell, []string{"sh", "-c", strings.ReplaceAll(script, "proctor", "'"+testbin.Path("proctor")+"'")}
		cmd.Env = append(cmd.Env, "PROCTOR_SESSION=", "TERM=xterm")
		term := openTerminal(t, 100, 50, cmd)
		term.end()
		return term.screen()
	}
	if screen := inShell("proctor run -q >/dev/null; proctor failures; proctor rerun -q"); strings.Count(screen, "FAILED  1 test") != 2 {
		t.Errorf("within one terminal:\n%s", screen)
	}
	if screen := inShell("proctor failures"); !strings.Contains(screen, "FAILED  1 test") {
		t.Errorf("in another terminal:\n%s", screen)
	}
}
