package conform

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// checkSome checks only the given points, and those that start a plugin.
func checkSome(t *testing.T, config Config, ids ...string) map[string]Result {
	t.Helper()
	kit, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer kit.Close()
	results := map[string]Result{}
	for _, point := range Points() {
		if point.ID == "handshake" || slices.Contains(ids, point.ID) {
			results[point.ID] = kit.Check(t.Context(), point)
		}
	}
	return results
}

// caseOf creates a case from an output and its expected report.
func caseOf(t *testing.T, name, output, want string) golden.Case {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"stdout": output, "want.json": want, "exit.json": `{"code": 1}`} {
		testfiles.Write(t, filepath.Join(dir, file), text)
	}
	c, err := golden.ReadCase(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestUninformativeCasesAreNotChecked(t *testing.T) {
	t.Parallel()
	foreign := "1..2\nnot ok 1 - of another runner\n"
	for name, c := range map[string]struct {
		cases  []golden.Case
		points []string
	}{
		"an output of another runner": {[]golden.Case{caseOf(t, "foreign", foreign, `{"tests": []}`)},
			[]string{"golden", "chunking", "cut", "damage", "concurrent", "newer-host", "reruns", "output-of"}},
		"no output":                  {[]golden.Case{caseOf(t, "empty", "", `{"tests": []}`)}, []string{"golden", "chunking", "cut", "damage", "concurrent"}},
		"a want.json without a word": {[]golden.Case{caseOf(t, "empty", "run a\nok a\n", `{}`)}, []string{"golden"}},
		"a want.json that is null":   {[]golden.Case{caseOf(t, "empty", "run a\nok a\n", `null`)}, []string{"golden"}},
		"counts without a count":     {[]golden.Case{caseOf(t, "empty", "run a\nok a\n", `{"counts": {}}`)}, []string{"golden"}},
		"a red run only":             {[]golden.Case{caseOf(t, "red", "run a\nbad a f:1 no\n", `{"counts": {"failed": 1}}`)}, []string{"golden", "cut"}},
		"a made-up test that the output does not mention": {
			[]golden.Case{caseOf(t, "talks", "run a\n| hello\nok a\n", `{"absent": [{"suite": "s", "name": "never_heard_of"}]}`)}, []string{"fakes"}},
		"a failed test that prints nothing": {[]golden.Case{caseOf(t, "red", "run a\nbad a f:1 no\n", `{"counts": {"failed": 1}}`)}, []string{"output-of"}},
		"no listing":                        {[]golden.Case{caseOf(t, "red", "run a\nok a\n", `{}`)}, []string{"lists"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := Config{Binary: brokenPlugin(t, "sdk"), Workspace: newWorkspace(t), Cases: c.cases}
			for id, result := range checkSome(t, config, c.points...) {
				if id != "handshake" && (result.Status != NotChecked || result.Reason == "") {
					t.Errorf("%s: %s %s %+v", id, result.Status, result.Reason, result.Findings)
				}
			}
		})
	}
}

func TestARefusedSelectionIsNotAFault(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]Status{"refuses-selections": OK, "no-narrow-run": NotChecked} {
		r := checkSome(t, Config{Binary: brokenPlugin(t, mode), Workspace: newWorkspace(t)}, "commands")["commands"]
		if r.Status != want || want == OK && !strings.Contains(strings.Join(r.Notes, "\n"), "INVALID_SELECTION") {
			t.Errorf("%s: %s %s %+v %q", mode, r.Status, r.Reason, r.Findings, r.Notes)
		}
	}
}

func TestASuiteOfACaseIsSelectedToo(t *testing.T) {
	t.Parallel()
	for want, suite := range map[string]string{
		`{"suites": [{"suite": "pkg/a", "outcome": "passed"}]}`:            "pkg/a",
		`{"tests": [{"suite": "pkg/b", "name": "x", "status": "passed"}]}`: "pkg/b",
		`{"counts": {"passed": 1}}`:                                        "",
	} {
		s := &subject{Config: Config{Cases: []golden.Case{caseOf(t, "case", "x\n", want)}}}
		if got := s.knownSuite(); got != suite {
			t.Errorf("%s: %q", want, got)
		}
	}
}

func TestAPassOfAPreparingCommandIsAFault(t *testing.T) {
	t.Parallel()
	c := caseOf(t, "build", "run a\nok a\n", `{"counts": {"passed": 1}}`)
	c.Run.Command.Prepares = true
	r := checkSome(t, Config{Binary: brokenPlugin(t, "sdk"), Cases: []golden.Case{c}}, "events")["events"]
	if r.Status != Failed || !strings.Contains(r.Findings[0].Seen, "prepares") {
		t.Errorf("%s %s %+v", r.Status, r.Reason, r.Findings)
	}
}

func TestACaseWithoutARootBelongsToTheWorkspace(t *testing.T) {
	t.Parallel()
	here := caseOf(t, "here", "run a\n", `{}`)
	there := here
	there.Name, there.Run.Workspace.Root = "there", "/recorded"
	ws := newWorkspace(t)
	s, err := newSubject(t.Context(), Config{Workspace: ws, Cases: []golden.Case{here, there}, Recordings: []golden.Recording{{Name: "here"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range s.Recordings {
		got = append(got, r.Name+" "+r.Run.Workspace.Root)
	}
	if want := []string{"here " + ws.Root, "there /recorded", "here#2 "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAFailureHiddenByDamageIsReported(t *testing.T) {
	t.Parallel()
	c := caseOf(t, "red", "run good\nok good\nrun a\nbad a f:1 no\n", `{}`)
	r := checkSome(t, Config{Binary: brokenPlugin(t, "drops-damaged"), Cases: []golden.Case{c}}, "damage")["damage"]
	if r.Status != Failed || !strings.Contains(r.Findings[0].Seen, "mentions neither a failure nor damage") {
		t.Errorf("%s %s %+v", r.Status, r.Reason, r.Findings)
	}
}
