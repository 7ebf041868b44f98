package cli

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// story is what a user does to a module, and what proctor must make of it.
type story struct {
	name string
	tree files
	// shell says that the tests are shell commands.
	shell bool
	env   []string
	steps []step
}

// step is an edit, and then a call of proctor.
type step struct {
	write  files
	remove []string
	env    []string
	// call is the command line; "run" when empty.
	call string

	code    int
	verdict api.Verdict // empty: no run, but a notice
	// ran lists the tests that executed: "PACKAGE TEST", separated by commas. Empty is
	// not checked, "-" is none.
	ran string
	// requested is what became of the tests a rerun asked for:
	// "PACKAGE TEST: OUTCOME", by comma; not looked at when empty.
	requested string
	// outstanding is how many tests are outstanding afterwards.
	outstanding int
	// says are texts in the object.
	says []string
}

// fixed is the edit that mends tests which are broken.
var fixed = []string{"FIXED=1"}

func tell(t *testing.T, stories []story) {
	t.Parallel()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			start := newModule
			if s.shell {
				start = newShellModule
			}
			w := start(t, s.tree)
			w.setenv(s.env...)
			for i, step := range s.steps {
				if !step.happens(t, w) {
					t.Fatalf("in step %d, proctor %s", i+1, step.command())
				}
			}
		})
	}
}

func (s step) command() string {
	if s.call == "" {
		return "run"
	}
	return s.call
}

// happens makes the step and compares; it returns whether all is as expected.
func (s step) happens(t *testing.T, w *module) bool {
	t.Helper()
	w.remove(s.remove...)
	w.write(s.write)
	w.setenv(s.env...)
	ok := true
	wrong := func(format string, args ...any) {
		t.Helper()
		ok = false
		t.Errorf(format, args...)
	}
	args := strings.Fields(s.command())
	if s.verdict == "" {
		r := w.proctor(append(args, "--json")...)
		var n notice
		decodeLine(t, r, &n)
		if n.Schema != "proctor.notice/v1" || n.Message == "" || r.code != s.code {
			wrong("exit %d, want %d and a notice: %s", r.code, s.code, r.stdout)
		}
		s.compare(wrong, r.stdout, w.ran())
		return ok
	}
	run, r := w.object(args...)
	if run.Verdict != s.verdict || r.code != s.code {
		wrong("verdict %s, exit %d; want %s, %d", run.Verdict, r.code, s.verdict, s.code)
	}
	if run.Outstanding != s.outstanding {
		wrong("%d outstanding, want %d", run.Outstanding, s.outstanding)
	}
	if got := requestedText(run); s.requested != "" && got != s.requested {
		wrong("requested %q, want %q", got, s.requested)
	}
	s.compare(wrong, r.stdout, w.ran())
	if !ok {
		t.Log(r.stdout + r.stderr)
	}
	return ok
}

func (s step) compare(wrong func(string, ...any), stdout string, ran []string) {
	if s.ran != "" && strings.Join(ran, ", ") != strings.TrimPrefix(s.ran, "-") {
		wrong("ran %q, want %q", strings.Join(ran, ", "), s.ran)
	}
	for _, text := range s.says {
		if !strings.Contains(stdout, text) {
			wrong("%q is missing in %s", text, stdout)
		}
	}
}

// requestedText lists the outcomes of a rerun's tests by name.
func requestedText(run api.Run) string {
	outcomes := map[string]string{}
	for _, r := range run.Requested {
		pkg := strings.TrimPrefix(r.Suite, "example.com/m/")
		outcomes[strings.TrimSpace(pkg+" "+r.Test)] = string(r.Outcome)
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		texts = append(texts, name+": "+outcomes[name])
	}
	return strings.Join(texts, ", ")
}
