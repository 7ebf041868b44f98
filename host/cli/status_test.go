package cli

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

func TestCutFitsIntoTheColumns(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"one more", 7, "one mo…"},
		{"テスト", 6, "テスト"},
		{"テスト", 5, "テス…"},
		{"テスト", 4, "テ…"},
		{"aテスト", 4, "aテ…"},
		{"wide", 1, "…"},
		{"", 0, ""},
	} {
		got := cut(c.line, c.columns)
		if got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.line, c.columns, got, c.want)
		}
	}
}

func FuzzCutIsNeverWiderThanAsked(f *testing.F) {
	f.Add("a long line of text", 5)
	f.Add("テストe\u0301…", 3)
	f.Fuzz(func(t *testing.T, line string, columns int) {
		if columns < 1 || columns > 1000 {
			return
		}
		used := 0
		for _, r := range cut(line, columns) {
			used++
			if r >= firstWide && r != '…' {
				used++
			}
		}
		if used > columns {
			t.Errorf("cut(%q, %d) takes %d columns", line, columns, used)
		}
	})
}

func TestTheStatusOfARunSaysNothingThatIsNotKnown(t *testing.T) {
	s := newStatus(&bytes.Buffer{})
	s.began = time.Now()
	if got := s.lines(s.began); !slices.Equal(got, []string{"  0.0s  no counts yet"}) {
		t.Errorf("before anything was heard: %q", got)
	}
	for want, progress := range map[string]sdk.Progress{
		"  0.0s  results: 0 passed, 0 failed; suites done: 0; no test is running: building": {},
		"  0.0s  results: 3 passed, 0 failed; suites done: 2; no test is running":           {Passed: 3, SuitesDone: 2},
	} {
		s.update(progress)
		if got := s.lines(s.began); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
