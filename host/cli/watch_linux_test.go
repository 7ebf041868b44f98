package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// press presses keys.
func (x *pseudoTerminal) press(keys string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// showing waits for a screen with all of some texts.
func (x *pseudoTerminal) showing(texts ...string) {
	x.t.Helper()
	await(x.t, strings.Join(texts, ", ")+" on the screen", func() bool {
		screen := x.screen()
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// echoes reports whether a terminal shows what is typed, as outside of raw mode.
func (x *pseudoTerminal) echoes() bool {
	x.t.Helper()
	mode, err := unix.IoctlGetTermios(int(x.master.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	return mode.Lflag&unix.ECHO != 0
}

func watched() files {
	return files{
		"a/a.go": "package a\n\nfunc A() int { return 1 }\n",
		"a/a_test.go": `package a

import "testing"

func TestA(t *testing.T) {
	if A() != 1 {
		t.Error("A is wrong")
	}
}
`,
		"b/b_test.go": tests("b", "TestB", pass),
	}
}

func TestAWatchRunsWhatAnEditCanBreakUntilQIsPressed(t *testing.T) {
	t.Parallel()
	w := newModule(t, watched())
	term := w.inTerminal(100, "watch")
	term.showing("✓ start · 2 tests passed", "[Enter] all", "[q] quit")
	if term.echoes() {
		t.Error("the terminal is not raw")
	}
	w.write(files{"a/a.go": "package a\n\nfunc A() int { return 2 }\n"})
	term.showing("✗ a/a.go changed · 1 of 1 affected test failed", "A is wrong", "✓ 2 tests passed\n")
	w.write(files{"b/b_test.go": tests("b", "TestB", pass, "TestC", pass)})
	term.showing("✗ b/b_test.go changed · 1 of 1 outstanding test failed · 2 affected tests passed")
	term.press("w")
	term.showing("a TestA", "It last passed")
	if strings.Contains(term.text(), "(session ") {
		t.Error("why names a session, which says nothing to the person at the only terminal")
	}
	w.write(files{"a/a.go": "package a\n\nfunc A() int { return 1 }\n"})
	term.showing("✓ a/a.go changed · 1 affected test passed", "✗ a TestA (b/b_test.go)\n")
	term.press("?")
	term.showing("Ctrl-C quits with 130")
	term.press("tTestX\x15TestB")
	term.showing("test: TestB")
	term.press("\r")
	term.showing("✓ all tests · only tests like TestB · 1 test passed")
	term.press("\r")
	term.showing("✓ all tests · 3 tests passed")
	term.press("q")
	if code := term.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !term.echoes() {
		t.Error("the terminal is still raw")
	}
	rounds := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d (.*)$`).FindAllStringSubmatch(term.screen(), -1)
	var got []string
	for _, r := range rounds {
		got = append(got, r[1])
	}
	want := "✓ 2 tests passed|✗ a TestA (a/a.go)|✗ a TestA (b/b_test.go)|✓ 1 affected test passed (a/a.go)|✓ 1 test passed, only tests like TestB"
	if strings.Join(got, "|") != want {
		t.Errorf("of the rounds there remains\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
}

func TestANarrowedWatchLeavesOutAPackageThatIsGone(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"cart/a_test.go": tests("cart", "TestA", pass), "cart2/b_test.go": tests("cart2", "TestB", pass)})
	term := w.inTerminal(100, "watch")
	term.showing("✓ start · 2 tests passed")
	if err := os.RemoveAll(filepath.Join(w.dir, "cart2")); err != nil {
		t.Fatal(err)
	}
	term.showing("cart2/b_test.go changed", "[q] quit")
	term.press("pcart\r")
	term.showing("✓ all tests · only cart · 1 test passed")
	term.press("q")
	term.end()
}

func TestAWatchOfAPackageSaysThatChangesSelectNothing(t *testing.T) {
	t.Parallel()
	w := newModule(t, watched())
	term := w.inTerminal(100, "watch", "./a")
	term.showing("✓ start · 1 test passed", "[q] quit")
	term.press("a")
	term.showing("this watch is of selected tests: Enter runs them", "✓ start · 1 test passed")
	term.press("\r")
	term.showing("✓ all tests · 1 test passed")
	term.press("q")
	if code := term.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestAWatchIsSuspendedAndContinued(t *testing.T) {
	t.Parallel()
	w := newModule(t, watched())
	watch := w.command("watch")
	shell := exec.Command("sh", append([]string{"-mc", `"$@"; echo "suspended: $?"; read go; fg; echo "ended: $?"`, "sh"}, watch.Args...)...)
	shell.Dir, shell.Env = watch.Dir, watch.Env
	term := openTerminal(t, 100, 30, shell)
	term.showing("✓ start · 2 tests passed", "[q] quit")
	term.press("\x1a")
	term.showing("suspended: ")
	if !term.echoes() {
		t.Error("the terminal is raw while the watch is suspended")
	}
	term.press("go\n")
	await(t, "raw mode", func() bool { return !term.echoes() })
	term.press("?")
	term.showing("quits with 130, Ctrl-Z")
	term.press("q")
	term.showing("ended: 0")
	if code := term.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestAWatchHasFailingTestsWriteWhatTheyExpect(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/page.golden": "one\n", "a/a_test.go": `package a

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write page.golden")

func TestPage(t *testing.T) {
	const got = "two\n"
	if *update {
		if err := os.WriteFile("page.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, _ := os.ReadFile("page.golden"); string(want) != got {
		t.Errorf("got %q, want %q", got, want)
	}
}
`, "b/b_test.go": tests("b", "TestB", pass)})
	term := w.inTerminal(100, "watch")
	term.showing("✗ start · 1 of 2 tests failed", "[q] quit")
	term.press("u")
	term.showing("u again runs the packages with failing tests")
	term.press("u")
	term.showing("✓ a/page.golden changed · 1 outstanding test passed")
	term.press("q")
	if code := term.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if screen := term.screen(); !strings.Contains(screen, "✗ a TestPage\n") {
		t.Errorf("the round that only wrote looks green:\n%s", screen)
	}
}

func TestAnInterruptedWatchStopsItsTestsAndGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"a key", "a signal"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newModule(t, files{"a/a_test.go": tests("a", "TestHangs", "time.Sleep(time.Hour)")})
			term := w.inTerminal(60, "watch")
			term.showing("a TestHangs")
			if how == "a key" {
				term.press("\x03")
			} else if err := term.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := term.end(); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			if !term.echoes() {
				t.Error("the terminal is still raw")
			}
			if screen := term.screen(); !strings.Contains(screen, "… a TestHangs ") || !strings.Contains(screen, "stopped by you") || strings.Contains(screen, "✗ a") {
				t.Errorf("what was interrupted looks like a failure:\n%s", screen)
			}
		})
	}
}

func TestAWatchWithoutATerminalPrintsPlainRounds(t *testing.T) {
	t.Parallel()
	w := newModule(t, watched())
	cmd := w.command("watch")
	var out, errs lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the first round", func() bool { return strings.Contains(out.String(), "✓ start · 2 tests passed") })
	w.write(files{"a/a.go": "package a\n\nfunc A() int { return 2 }\n"})
	await(t, "the second round", func() bool {
		return strings.Contains(out.String(), "✗ a/a.go changed · 1 of 1 affected test failed")
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("control sequences:\n%q", out.String())
	}
}

// A run in another setting proves nothing of what a watch begins with.
func TestAWatchBeginsWithEverythingWhereTheLastRunHadOtherVariables(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": tests("a", "TestA", pass),
		"a/b_test.go": "//go:build strict\n\npackage a\n\nimport \"testing\"\n\nfunc TestStrict(t *testing.T) { t.Error(\"wrong\") }\n",
	})
	w.proctor("run").expect(t, exitPassed)
	for _, test := range []struct{ variable, want string }{
		{"UNRELATED=1", "✓ start · nothing has changed since the last run"},
		{"GOFLAGS=-tags=strict", "✗ start · 1 of 2 tests failed"},
	} {
		cmd := w.command("watch")
		cmd.Env = append(cmd.Env, test.variable)
		var out lockedBuffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the first round", func() bool { return strings.Contains(out.String(), " start · ") })
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("with %s:\n%s", test.variable, out.String())
		}
	}
}
