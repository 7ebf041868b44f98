package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestAHeadlineSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line ", 30)
	for _, tt := range []struct {
		name, message string
		diff          sdk.Diff
		want          string
	}{
		{"a sentence", "no such user\nmore", sdk.Diff{}, "no such user"},
		{"tabs", "FAIL:\tDo(int)\n\t\tat: [/m/a.go:3]", sdk.Diff{}, "FAIL: Do(int)"},
		{"nothing", "", sdk.Diff{}, ""},
		{"an error below a colon", "Received unexpected error:\nopen: no\nsuch file", sdk.Diff{}, "Received unexpected error: open: no, such file"},
		{"labels that are no values", "Target error should be in err chain:\nexpected: \"b\"\nin chain: \"a\"", sdk.Diff{}, `Target error should be in err chain: expected: "b", in chain: "a"`},
		{"a word that goes on", "Expected\n    <int>: 1\nto equal\n    <int>: 2", sdk.Diff{}, "Expected <int>: 1 to equal <int>: 2"},
		{"below an empty line", "elements differ\n\nextra elements in list A:\n(int) 3\n\nlistA:", sdk.Diff{}, "elements differ: extra elements in list A: (int) 3, listA:"},
		{"underlined", "mock: Unexpected Method Call\n-----\n\nGet(int)\n\t\t0: 8", sdk.Diff{}, "mock: Unexpected Method Call, Get(int), 0: 8"},
		{"values of the message", "Not equal:\nexpected: 3\nactual  : 4", sdk.Diff{Got: "4", Want: "3"}, "Not equal: expected: 3, actual: 4"},
		{"and a note", "Not equal:\nexpected: 3\nactual  : 4\nuser 5", sdk.Diff{Got: "4", Want: "3"}, "Not equal: expected: 3, actual: 4, user 5"},
		{"values beside the message", "values are not equal", sdk.Diff{Got: `"bob"`, Want: `"alice"`}, `values are not equal: got "bob", want "alice"`},
		{"only one value", "value is not true", sdk.Diff{Got: "bool(false)"}, "value is not true: got bool(false)"},
		{"said already", "F(2) = 4, want 5", sdk.Diff{Got: "4", Want: "5"}, "F(2) = 4, want 5"},
		{"a difference", "Get() mismatch (-want +got):", sdk.Diff{Text: "  P{\n- \tB:  2,\n+ \tB:  3,\n  }"}, "Get() mismatch (-want +got): - B: 2, + B: 3"},
		{"structures", "Not equal:\nexpected: &P{A:1, In:(*In)(0x150082326228)}\nactual  : &P{A:2, In:(*In)(0x150082326240)}", sdk.Diff{
			Got: "&P{A:2, In:(*In)(0x150082326240)}", Want: "&P{A:1, In:(*In)(0x150082326228)}", Text: "--- Expected\n+++ Actual\n@@ -2,3 +2,3 @@\n (*P)({\n- A: (int) 1,\n+ A: (int) 2,\n  }),\n@@ -9 +9 @@\n-x\n+y",
		}, "Not equal: (-expected +actual) - A: (int) 1, + A: (int) 2, …"},
		{"a legend", "values are not deep equal", sdk.Diff{Got: "P{1}", Want: "P{2}", Text: "(-got +want)\n  P{\n- \tA: 1,\n+ \tA: 2,\n  }"}, "values are not deep equal: (-got +want) - A: 1, + A: 2"},
		{"something missing", "files differ:", sdk.Diff{Text: "--- a.txt\n+++ b.txt\n@@ -1 +0 @@\n-gone"}, "files differ: - gone"},
		{"only structures", "mismatch", sdk.Diff{Got: "{1 2}", Want: "{1 3}"}, "mismatch: got {1 2}, want {1 3}"},
		{"long values that differ late", "mismatch", sdk.Diff{Got: long + "x end", Want: long + "y end"}, "mismatch: got … line line line x end, want … line line line y end"},
		{"nothing but values", "expected: 3\nactual: 4", sdk.Diff{Got: "4", Want: "3"}, "expected: 3, actual: 4"},
		{"texts of several lines", "got:\na\nb\nwant:\na\nx", sdk.Diff{Got: "a\nb", Want: "a\nx"}, "got b, want x"},
		{"texts below empty lines", "expected:\n\na\nb\n\ngot:\n\na\nx", sdk.Diff{Got: "a\nx", Want: "a\nb"}, "got x, want b"},
		{"a sentence above texts", "the page differs\ngot: a\n  b\nwant: a\n  x\nsee page.txt", sdk.Diff{Got: "a\n  b", Want: "a\n  x"}, "the page differs: got b, want x, see page.txt"},
		{"texts that the message leaves out", "differs:", sdk.Diff{Got: "a\nb c", Want: "a\nx c"}, "differs: got b c, want x c"},
		{"only blanks differ", "differs:", sdk.Diff{Got: "a\n  b c", Want: "a\n b c"}, `differs: got "  b c", want " b c"`},
		{"only blanks differ in a difference", "differs:", sdk.Diff{Text: "  a\n-  b,\n+ b,"}, `differs: - "  b", + " b"`},
		{"braces", "extra elements:\n[]int {\n 3,\n 4\n}\nlistA", sdk.Diff{}, "extra elements: []int { 3, 4 }, listA"},
		{"notes", "unexpected length:\nlen(got): int(2)\nwant length: int(3)", sdk.Diff{Got: "[]int{1, 2}"}, "unexpected length: got []int{1, 2}, len(got): int(2), want length: int(3)"},
		{"notes that say a value", "S.TestEq: c.Check(x):\nobtained int = 42\nexpected int = 43\nuser 5", sdk.Diff{Got: "int = 42", Want: "int = 43"}, "S.TestEq: c.Check(x): got int = 42, want int = 43, user 5"},
		{"no message", "", sdk.Diff{Got: "1", Want: "2"}, "got 1, want 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := api.Headline(tt.message, tt.diff); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A message of a test can have any length: each of these took minutes.
func TestALongMessageIsReadInAMoment(t *testing.T) {
	t.Parallel()
	const many = 100_000
	for name, message := range map[string]string{
		"empty lines": "got:\n" + strings.Repeat("\n", many) + "y", "labels": strings.Repeat("a: b\n", many),
	} {
		begun := time.Now()
		api.Headline(message, sdk.Diff{Got: strings.Repeat("\n", many) + "x", Want: "a\nb"})
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func TestAHeadlineIsOneLineOfBoundedLength(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("é\n", 5000)
	for _, d := range []sdk.Diff{{Got: huge, Want: huge + "x"}, {Text: "-" + strings.Repeat("é", 5000) + "\n+" + huge}, {Got: strings.Repeat("ab", 3000)}} {
		for _, message := range []string{"differs:", strings.Repeat("ü", 3000) + ":", huge} {
			got := api.Headline(message, d)
			if len(got) > 200 || strings.Contains(got, "\n") || strings.ToValidUTF8(got, "") != got {
				t.Errorf("%d bytes: %.80q", len(got), got)
			}
		}
	}
}
