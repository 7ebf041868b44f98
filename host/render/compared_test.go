package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// block is what a summary says of one failure, below its place.
func block(f api.Failure, style render.Style) string {
	f.Suite, f.Test, f.Kind = "s", "T", "assertion"
	run := api.Run{RunID: "k3f9", Kind: api.KindRun, Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{f}}
	_, text, _ := strings.Cut(render.Summary(run, style), "\n")
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.ReplaceAll(strings.TrimPrefix(text, "   "), "\n   ", "\n")
}

func TestWhatDiffersIsShownOnce(t *testing.T) {
	t.Parallel()
	const unified = "--- Expected\n+++ Actual\n- A: 1\n+ A: 2"
	for _, tt := range []struct {
		name, message string
		diff          sdk.Diff
		want          string
	}{
		{"values of the message", "got 1, want 2", sdk.Diff{Got: "1", Want: "2"}, "got 1, want 2"},
		{"values that are parts of other words", "wrong length at line 12", sdk.Diff{Got: "1", Want: "2"}, "wrong length at line 12\n--- diff ---\ngot: 1\nwant: 2"},
		{"quoted values", `got "a"; want "b"`, sdk.Diff{Got: "a", Want: "b"}, `got "a"; want "b"`},
		{"words in another script", "Übergabe über b", sdk.Diff{Got: "b", Want: "r"}, "Übergabe über b\n--- diff ---\ngot: b\nwant: r"},
		{"only one value was printed", "value is not true", sdk.Diff{Got: "bool(false)"}, "value is not true\n--- diff ---\ngot: bool(false)"},
		{"short values and their difference", "Not equal:\nexpected: \"a\"\nactual  : \"b\"\nuser 5", sdk.Diff{Got: `"b"`, Want: `"a"`, Text: "-a\n+b"}, "Not equal:\nexpected: \"a\"\nactual  : \"b\"\nuser 5"},
		{"structures", "Not equal:\nexpected: P{A:1}\nactual  : P{A:2}", sdk.Diff{Got: "P{A:2}", Want: "P{A:1}", Text: unified}, "Not equal:\nexpected: P{A:1}\nactual  : P{A:2}\n--- diff ---\n" + unified},
		{"addresses", "Not equal:\nexpected: P{A:(*int)(0x150082326228)}\nactual  : P{A:(*int)(0x150082326240)}", sdk.Diff{Got: "P{A:(*int)(0x150082326240)}", Want: "P{A:(*int)(0x150082326228)}", Text: unified}, "Not equal:\n--- diff ---\n" + unified},
		{"addresses alone", "Not equal:\nexpected: (*int)(0x150082326228)\nactual  : (*int)(0x150082326240)", sdk.Diff{Got: "(*int)(0x150082326240)", Want: "(*int)(0x150082326228)"}, "Not equal:\nexpected: (*int)(0x150082326228)\nactual  : (*int)(0x150082326240)"},
		{"long values", "values are not equal", sdk.Diff{Got: "a\nb", Want: "a\nc", Text: unified}, "values are not equal\n--- diff ---\n" + unified},
		{"a value behind a long message", strings.Repeat("a trace\n", 9) + "got 1, want 2", sdk.Diff{Got: "1", Want: "2"}, strings.Repeat("a trace\n", 9) + "got 1, want 2\n--- diff ---\ngot: 1\nwant: 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := block(api.Failure{Failure: sdk.Failure{Message: tt.message, Diff: tt.diff}}, render.Style{}); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestLeftOutLinesNameTheCommandThatShowsThem(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 40) + "end"
	for _, tt := range []struct {
		name string
		run  api.Run
		f    api.Failure
		want string
	}{
		{"a run", api.Run{RunID: "k3f9", Kind: api.KindRun}, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "example.com/m", Test: "TestA/it's"}}}, `[30 lines more: proctor output 'example.com/m TestA/it'\''s']`},
		{"a suite", api.Run{RunID: "k3f9", Kind: api.KindRun}, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "example.com/m"}}}, "[30 lines more: proctor output example.com/m]"},
		{"an ingested run", api.Run{RunID: "k3f9", Kind: api.KindIngest, Origin: "x.json"}, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m", Test: "T"}}}, "[30 lines more: proctor output 'm T' --run k3f9]"},
		{"no record", api.Run{RunID: "k3f9", Kind: api.KindParsed}, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m", Test: "T"}}}, "[30 lines more: -v shows them]"},
		{"an upload", api.Run{RunID: "k3f9", Warnings: api.Notes(api.NoteUpload, "an upload")}, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m", Test: "T"}}}, "[30 lines more: -v shows them]"},
		{"no suite", api.Run{RunID: "k3f9", Kind: api.KindRun}, api.Failure{}, "[30 lines more: -v shows them]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.f.Message = long
			tt.run.Failures, tt.run.FailuresTotal = []api.Failure{tt.f}, 1
			if got := render.Summary(tt.run, render.Style{}); !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwant in it %s", got, tt.want)
			}
			if got := render.Summary(tt.run, render.Style{Verbose: true}); strings.Contains(got, "lines more") {
				t.Errorf("-v leaves some out:\n%s", got)
			}
		})
	}
	named := render.Summary(api.Run{RunID: "k3f9", Kind: api.KindRun, Failures: []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m"}, Message: long}}}, FailuresTotal: 1}, render.Style{Named: true})
	if !strings.Contains(named, "proctor output m --run k3f9]") {
		t.Errorf("of a named run:\n%s", named)
	}
}
