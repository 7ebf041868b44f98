package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// ago is how long a run is past: a second more or less on a busy machine.
var ago = regexp.MustCompile(`\b[0-9]+s ago`)

// says compares standard output byte for byte, but for the age of the run.
func (r reply) says(t *testing.T, code int, want string) {
	t.Helper()
	if got := ago.ReplaceAllString(r.stdout, "Ns ago"); got != want || r.code != code {
		t.Errorf("exit %d, want %d\ngot:\n%q\nwant:\n%q\nstderr: %s", r.code, code, got, want, r.stderr)
	}
}

func TestBeforeTheFirstRunEveryQuestionHasTheSameAnswer(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	const sentence = noRunYet + "\n"
	w.proctor("failures").says(t, 0, sentence)
	w.proctor("runs").says(t, 0, sentence)
	w.proctor("triage").says(t, exitNothingRan, sentence)
	w.proctor("runs", "show").says(t, 0, sentence)
	w.proctor("output", "TestA").says(t, 0, sentence)
	w.proctor("rerun").says(t, exitNothingRan, sentence)
}

func TestAfterAGreenRunTheAnswersSaySo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass, "TestT", sub("x", pass))})
	w.proctor("run").expect(t, 0)
	w.proctor("failures").expect(t, 0, "PASSED  2 tests")
	w.proctor("rerun").says(t, 0, "nothing to rerun: nothing is outstanding (go)\n")
}

func TestARunThatProvedNothingIsNeverCalledWithoutFailures(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", skip)})
	w.proctor("run").expect(t, exitNothingRan)
	for _, command := range []string{"failures", "rerun"} {
		r := w.proctor(command)
		if strings.Contains(r.stdout, "PASSED") || !strings.Contains(r.stdout, map[string]string{"failures": "NOTHING RAN", "rerun": "nothing ran"}[command]) {
			t.Errorf("%s: %s", command, r.stdout)
		}
		if command == "rerun" && r.code == 0 {
			t.Error("the rerun is green")
		}
	}
}

func TestTheFailuresAreShownAsTheRunShowedThem(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"pkg/bar/bar_test.go": tests("bar", "TestBaz", `t.Error("mismatch\ngot: 5\nwant: 3")`),
		"pkg/foo/foo_test.go": tests("foo", "TestValidate", sub("empty input", `t.Error("expected error for empty input, got nil")`)),
	})
	for _, args := range [][]string{{"run", "./pkg/bar"}, {"run"}} {
		ran := w.proctor(args...)
		shown := w.proctor("failures")
		_, shown.stdout, _ = strings.Cut(shown.stdout, " ago\n\n")
		shown.says(t, 0, ran.stdout)
	}
	w.proctor("failures", "--limit", "1").expect(t, 0, "pkg/bar TestBaz", "and 1 more failure: proctor runs show ", "FAILED  2 tests")
}

// recorded is a stream of the last run's only command.
func (w *module) recorded(stream string) string {
	w.t.Helper()
	run, _ := w.object("runs", "show")
	raw, err := os.ReadFile(filepath.Join(w.dir, ".proctor", "runs", run.RunID, "0-"+stream))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

func TestTheRawFormIsTheRunnersOutputAndItsExitCode(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail)})
	r := w.proctor("run", "--raw")
	stdout := w.recorded("stdout")
	if !strings.Contains(stdout, `"Action":"fail"`) {
		t.Fatalf("the record holds %q", stdout)
	}
	r.says(t, 1, stdout+"exit: 1\n")

	w.write(files{"a/a_test.go": tests("a", "TestA", pass)})
	w.proctor("run", "--raw").says(t, 0, w.recorded("stdout")+"exit: 0\n")

	w.write(files{"go.mod": "modul example.com/m\n"})
	r = w.proctor("run", "--raw")
	r.says(t, 1, "--- stderr ---\n"+w.recorded("stderr")+"exit: 1\n")
	if !strings.Contains(r.stdout, "unknown directive: modul") {
		t.Errorf("the go command's words are missing: %q", r.stdout)
	}
}

func TestTheRawFormIsCappedAndSaysSo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA",
		"for i := 0; i < 700; i++ {\n t.Log(fmt.Sprintf(\"%01000d\", i))\n }\n t.Error(\"the last words\")")})
	r := w.proctor("run", "--raw")
	const most = 512 << 10
	if len(r.stdout) > most+1000 || !strings.Contains(r.stdout, "[TRUNCATED]") || !strings.HasSuffix(r.stdout, "\nexit: 1\n") {
		t.Errorf("exit %d, %d bytes, truncated: %v", r.code, len(r.stdout), strings.Contains(r.stdout, "[TRUNCATED]"))
	}
	// Text that is cut for the reader was complete for the parser.
	run, _ := w.object("runs", "show")
	if run.Verdict != api.Failed || run.FailuresTotal != 1 || !strings.Contains(run.Failures[0].Message, "the last words") &&
		!strings.Contains(run.Failures[0].Output, "the last words") {
		t.Errorf("the failure behind the cap is not found: %s, %d failures", run.Verdict, run.FailuresTotal)
	}
}
