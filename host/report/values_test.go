package report

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/record"
)

// Values that a message seems to have, because they are parts of other words in it,
// were not printed at all.
func TestValuesAreLeftOutOnlyWhereTheMessageSaysThem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		message, got, want string
		said               bool
	}{
		{"got 1, want 2", "1", "2", true},
		{"wrong length at line 12", "1", "2", false},
		{"got \"a\"; want \"b\"", "a", "b", true},
		{"Übergabe über b", "b", "r", false},
		{strings.Repeat("a trace\n", 9) + "got 1, want 2", "1", "2", false},
		{"must not be empty: 3", "", "3", true},
	} {
		text := diffText(record.Failure{Message: tc.message, Diff: &record.Diff{Got: tc.got, Want: tc.want}})
		if (text == "") != tc.said {
			t.Errorf("%q: %q", tc.message, text)
		}
	}
}
