package cli

import (
	"regexp"
	"strings"
	"testing"
)

// A number that stands before one of these words says nothing of what it counts.
var bare = regexp.MustCompile(`(?m)(?:^|[\s(:;,])\d+ (?:outstanding|never started|not built|running|dirty|more;|did not finish|not run)\b.*`)

// Of subtests, repeated tests, a suite that does not build, one without tests, skips
// and a panic: each command says of each number what it counts.
func TestEveryNumberSaysWhatItCounts(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestParts(t *testing.T) {\n" +
			"\tt.Run(\"good\", func(t *testing.T) {})\n\tt.Run(\"skips\", func(t *testing.T) { t.Skip() })\n\tt.Run(\"bad\", func(t *testing.T) { t.Error(\"wrong\") })\n}\n\n" +
			"func TestGood(t *testing.T) {}\n\nfunc TestSkips(t *testing.T) { t.Skip() }\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestDies(t *testing.T) {\n\tt.Run(\"now\", func(t *testing.T) { panic(\"oh\") })\n\tt.Run(\"later\", func(t *testing.T) {})\n}\n\nfunc TestAfter(t *testing.T) {}\n",
		"c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestBuilds(t *testing.T) { nosuch() }\n",
		"d/d.go":      "package d\n",
	})
	figures := "2 passed, 2 failed, 2 skipped, 1 unfinished (results of 4 tests), 1 test never started, 1 package not built"
	left := "2 tests, 2 subtests, 1 suite"
	inGo := strings.ReplaceAll(left, "suite", "package")
	const ending = "DOES NOT BUILD  c · 2 failures elsewhere · 1 passed · 1 skipped · 1 test did not finish · 1 test never started · "
	w.proctor("run").expect(t, exitFailed, ending, "… b TestDies did not finish\n", "– b TestAfter never started\n")
	w.proctor("run", "--", "-count=2").expect(t, exitFailed, ending)
	for call, says := range map[string][]string{
		"runs":                   {figures},
		"diff prev last":         {": " + figures, "tests, subtests and packages: "},
		"rerun --list":           {inGo + " outstanding"},
		"mcp context":            {"Outstanding: " + left + " ("},
		"runs show prev":         {ending},
		"runs --limit 1":         {"(1 more run; raise --limit)"},
		"history --limit 1":      {"more tests; raise --limit)"},
		"rerun --list --limit 1": {"(4 more of these; raise --limit)"},
		"failures":               {"1 test did not finish", "1 test never started"},
		"triage":                 nil, "doctor": nil, "run --list": nil, "history": nil, "history a_test.go": nil, "history --slow": nil, "why TestParts/bad": nil,
	} {
		got := w.proctor(strings.Fields(call)...)
		for _, want := range says {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: no %q in\n%s", call, want, got.stdout)
			}
		}
		for _, b := range bare.FindAllString(got.stdout, -1) {
			t.Errorf("%s: a number does not say what it counts: %q", call, strings.TrimSpace(b))
		}
	}
	// Tests left for later, and those of another session, are counted by kind, too.
	rerun := w.proctor("rerun", "--limit", "1")
	rerun.expect(t, exitFailed, "outstanding: "+inGo+"; left until these pass: 2 tests, 1 subtest, 1 package")
	other := w.in("another").proctor("failures")
	other.expect(t, 0, "outstanding from earlier sessions: "+left+", since run ")
}
