package concise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestALongDifferenceKeepsTheLinesThatDiffer(t *testing.T) {
	lines := []string{"wrong result"}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("  \tsame%d", i))
	}
	lines = append(lines, "-\tColumn: 7,", "+\tColumn: 6,")
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("  \tend%d", i))
	}
	got := Shorten(strings.Join(lines, "\n"), 12, "proctor output T")
	want := "wrong result\n[19 lines more]\n  \tsame19\n-\tColumn: 7,\n+\tColumn: 6,\n  \tend0\n[19 lines more: proctor output T]"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAShortenedTextKeepsWithinItsLines(t *testing.T) {
	for _, every := range []int{1, 2, 3, 4, 5, 7, 50} {
		var lines []string
		for i := range 200 {
			if i%every == 0 {
				lines = append(lines, fmt.Sprintf("- line %d", i))
			} else {
				lines = append(lines, fmt.Sprintf("line %d", i))
			}
		}
		text := strings.Join(lines, "\n")
		for _, most := range []int{3, 12, 199} {
			short := Shorten(text, most, "")
			if got := strings.Count(short, "\n") + 1; got > most {
				t.Errorf("every %d: %d lines, at most %d", every, got, most)
			}
			if strings.Contains(short, "[1 lines") {
				t.Errorf("every %d: a line is counted in a line:\n%s", every, short)
			}
		}
		if Shorten(text, 200, "x") != text {
			t.Error("a text that fits was changed")
		}
	}
}

// An error wraps its cause, and a long value is followed by what it was compared with.
func TestALongLineKeepsItsEnd(t *testing.T) {
	long := strings.Repeat("wrapped: ", 40)
	if got := Narrow("`" + long + "` does not contain `cause`"); !strings.HasPrefix(got, "`wrapped: ") || !strings.HasSuffix(got, "does not contain `cause`") || !strings.Contains(got, "… [147 characters more] …") {
		t.Error(got)
	}
	if got := Narrow("- " + long); !strings.HasSuffix(got, "… [122 characters more]") {
		t.Error(got)
	}
}

func TestTwoValuesShowWhatDiffersAtTheirEnd(t *testing.T) {
	same := strings.Repeat("same ", 100)
	f := api.Failure{Failure: sdk.Failure{Message: "they differ", Diff: sdk.Diff{Got: same + "one", Want: same + "two"}}}
	_, lines := Compare(f, "…")
	want := []string{"- want: … same same same two", "+ got:  … same same same one"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	f.Diff = sdk.Diff{Got: "a", Want: "a "}
	if _, lines = Compare(f, "…"); !slices.Equal(lines, []string{`- want: "a "`, `+ got:  "a"`}) {
		t.Errorf("%q: what differs only in blanks looks the same", lines)
	}
}
