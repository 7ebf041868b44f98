package covering

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/coverage"
)

func TestChangedLinesAreNewOnesAndNeighborsOfRemovedOnes(t *testing.T) {
	for _, c := range []struct{ before, now, want string }{
		{"a b c", "a b c", ""},
		{"a b c", "a x c", "2"},
		{"a b c", "a b x c", "3"},
		{"a b c", "a c", "1-2"},
		{"a b c", "b c", "1"},
		{"a b c", "a b", "2"},
		{"a b c d", "a x c", "2-3"},
		{"", "a b", "1-2"},
		{"a b", "", ""},
		{"a b c d e", "a x c d y", "2,5"},
	} {
		lines := func(text string) []uint32 {
			return coverage.HashLines([]byte(strings.Join(strings.Fields(text), "\n")))
		}
		if got := formatRanges(changedLines(lines(c.before), lines(c.now))); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.before, c.now, got, c.want)
		}
	}
}
