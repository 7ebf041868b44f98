package report_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// block is what a summary says of one failure, below its place.
func block(f record.Failure, style report.Style) string {
	f.Suite, f.Test, f.Kind = "s", "T", "assertion"
	run := record.Run{RunID: "k3f9", Kind: record.KindRun, Verdict: record.Failed, FailuresTotal: 1, Failures: []record.Failure{f}}
	_, text, _ := strings.Cut(report.Summary(run, style), "\n")
	text, _, _ = strings.Cut(text, "\n\n")
	return strings.ReplaceAll(strings.TrimPrefix(text, "   "), "\n   ", "\n")
}

func TestWhatDiffersIsShownOnce(t *testing.T) {
	t.Parallel()
	const unified = "--- Expected\n+++ Actual\n- A: 1\n+ A: 2"
	for _, tt := range []struct {
		name, message string
		diff          record.Diff
		want          string
	}{
		{"values of the message", "got 1, want 2", record.Diff{Got: "1", Want: "2"}, "got 1, want 2"},
		{"values that are parts of other words", "wrong length at line 12", record.Diff{Got: "1", Want: "2"}, "wrong length at line 12\n--- diff ---\ngot: 1\nwant: 2"},
		{"quoted values", `got "a"; want "b"`, record.Diff{Got: "a", Want: "b"}, `got "a"; want "b"`},
		{"words in another script", "Übergabe über b", record.Diff{Got: "b", Want: "r"}, "Übergabe über b\n--- diff ---\ngot: b\nwant: r"},
		{"only one value was printed", "value is not true", record.Diff{Got: "bool(false)"}, "value is not true\n--- diff ---\ngot: bool(false)"},
		{"short values and their difference", "Not equal:\nexpected: \"a\"\nactual  : \"b\"\nuser 5", record.Diff{Got: `"b"`, Want: `"a"`, Text: "-a\n+b"}, "Not equal:\nexpected: \"a\"\nactual  : \"b\"\nuser 5"},
		{"structures", "Not equal:\nexpected: P{A:1}\nactual  : P{A:2}", record.Diff{Got: "P{A:2}", Want: "P{A:1}", Text: unified}, "Not equal:\nexpected: P{A:1}\nactual  : P{A:2}\n--- diff ---\n" + unified},
		{"addresses", "Not equal:\nexpected: P{A:(*int)(0x150082326228)}\nactual  : P{A:(*int)(0x150082326240)}", record.Diff{Got: "P{A:(*int)(0x150082326240)}", Want: "P{A:(*int)(0x150082326228)}", Text: unified}, "Not equal:\n--- diff ---\n" + unified},
		{"addresses alone", "Not equal:\nexpected: (*int)(0x150082326228)\nactual  : (*int)(0x150082326240)", record.Diff{Got: "(*int)(0x150082326240)", Want: "(*int)(0x150082326228)"}, "Not equal:\nexpected: (*int)(0x150082326228)\nactual  : (*int)(0x150082326240)"},
		{"long values", "values are not equal", record.Diff{Got: "a\nb", Want: "a\nc", Text: unified}, "values are not equal\n--- diff ---\n" + unified},
		{"a value behind a long message", strings.Repeat("a trace\n", 9) + "got 1, want 2", record.Diff{Got: "1", Want: "2"}, strings.Repeat("a trace\n", 9) + "got 1, want 2\n--- diff ---\ngot: 1\nwant: 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := block(record.Failure{Message: tt.message, Diff: &tt.diff}, report.Style{}); got != tt.want {
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
		run  record.Run
		f    record.Failure
		want string
	}{
		{"a run", record.Run{RunID: "k3f9", Kind: record.KindRun}, record.Failure{Suite: "example.com/m", Test: "TestA/it's"}, `[30 lines more: proctor output 'example.com/m TestA/it'\''s']`},
		{"a suite", record.Run{RunID: "k3f9", Kind: record.KindRun}, record.Failure{Suite: "example.com/m"}, "[30 lines more: proctor output example.com/m]"},
		{"an ingested run", record.Run{RunID: "k3f9", Kind: record.KindIngest, Origin: "x.json"}, record.Failure{Suite: "m", Test: "T"}, "[30 lines more: proctor output 'm T' --run k3f9]"},
		{"no record", record.Run{RunID: "k3f9", Kind: record.KindParsed}, record.Failure{Suite: "m", Test: "T"}, "[30 lines more: -v shows them]"},
		{"no suite", record.Run{RunID: "k3f9", Kind: record.KindRun}, record.Failure{}, "[30 lines more: -v shows them]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.f.Message = long
			tt.run.Failures, tt.run.FailuresTotal = []record.Failure{tt.f}, 1
			if got := report.Summary(tt.run, report.Style{}); !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwant in it %s", got, tt.want)
			}
			if got := report.Summary(tt.run, report.Style{Verbose: true}); strings.Contains(got, "lines more") {
				t.Errorf("-v leaves some out:\n%s", got)
			}
		})
	}
	named := report.Summary(record.Run{RunID: "k3f9", Kind: record.KindRun, Failures: []record.Failure{{Suite: "m", Message: long}}, FailuresTotal: 1}, report.Style{Named: true})
	if !strings.Contains(named, "proctor output m --run k3f9]") {
		t.Errorf("of a named run:\n%s", named)
	}
}
