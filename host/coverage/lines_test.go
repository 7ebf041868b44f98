package coverage_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/coverage"
)

func TestLinesAreHashedWithoutTheirEnds(t *testing.T) {
	want := coverage.HashLines([]byte("a\nb\n\nc"))
	if len(want) != 4 || want[0] == want[1] || want[2] == want[3] {
		t.Fatalf("%v", want)
	}
	for _, text := range []string{"a\nb\n\nc\n", "a\r\nb\r\n\r\nc\r\n", "a\r\nb\n\r\nc"} {
		if got := coverage.HashLines([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if got := coverage.HashLines([]byte("a\nb\n\nc\r")); slices.Equal(got, want) {
		t.Error("a carriage return at the end of the text ends no line")
	}
	if got := coverage.HashLines(nil); got != nil {
		t.Errorf("no text has lines: %v", got)
	}
	if got := coverage.HashLines([]byte("\n")); len(got) != 1 {
		t.Errorf("an empty line: %v", got)
	}
}
