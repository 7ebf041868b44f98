package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
)

func TestTranscriptJoinsPiecesAndSplitsAtLineFeeds(t *testing.T) {
	var tr transcript
	for _, piece := range []string{`one `, `line\n`, `two\r\n`, `\tthree\n\nfour`, ` and a \u003chalf\u003e`} {
		tr.add([]byte(piece), testjson.OutputPlain)
	}
	var got []string
	for _, l := range tr.lines() {
		got = append(got, l.text)
	}
	if want := "one line|two|\tthree||four and a <half>"; strings.Join(got, "|") != want {
		t.Errorf("lines are %q, want %q", strings.Join(got, "|"), want)
	}
}

func TestTranscriptKeepsTheKindsOfLines(t *testing.T) {
	var tr transcript
	tr.add([]byte(`no newline`), testjson.OutputPlain)
	tr.add([]byte(`    a_test.go:1: cut `), testjson.OutputError)
	tr.add([]byte(`here\n`), testjson.OutputError)
	tr.add([]byte(`        more\n`), testjson.OutputErrorContinue)
	tr.add([]byte(`    a_test.go:2: log\n`), testjson.OutputPlain)
	want := []line{
		{"no newline", linePlain}, {"    a_test.go:1: cut here", lineError},
		{"        more", lineContinue}, {"    a_test.go:2: log", linePlain},
	}
	if got := tr.lines(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lines are\n%v, want\n%v", got, want)
	}
}

func TestTranscriptIsBoundedAndKeepsBothEnds(t *testing.T) {
	var tr transcript
	for i := range 100_000 {
		tr.add(fmt.Appendf(nil, `line %d\n`, i), testjson.OutputPlain)
	}
	if size := cap(tr.head) + cap(tr.tail); size > 4*(transcriptHead+transcriptTail) {
		t.Errorf("%d bytes are held", size)
	}
	lines := tr.lines()
	if lines[0].text != "line 0" || lines[len(lines)-1].text != "line 99999" {
		t.Errorf("ends are %q and %q", lines[0].text, lines[len(lines)-1].text)
	}
	gaps := 0
	for i, l := range lines {
		if l.kind == lineGap {
			gaps++
		} else if !strings.HasPrefix(l.text, "line ") {
			t.Errorf("line %d is cut: %q", i, l.text)
		}
	}
	if gaps != 1 {
		t.Errorf("%d gaps are marked, want one", gaps)
	}
}

func TestTranscriptBoundsOnePiece(t *testing.T) {
	var tr transcript
	tr.add([]byte(strings.Repeat(`\n`, 2<<20)), testjson.OutputPlain)
	if got := len(tr.lines()); got > maxPiece {
		t.Errorf("one piece gives %d lines", got)
	}
}

func TestTranscriptReturnsItsLastPiece(t *testing.T) {
	var tr transcript
	if tr.lastPiece() != nil {
		t.Error("an empty transcript has a last piece")
	}
	tr.add([]byte(`first\n`), testjson.OutputPlain)
	tr.add([]byte(`last\n`), testjson.OutputPlain)
	if got := string(tr.lastPiece()); got != `last\n` {
		t.Errorf("last piece is %q", got)
	}
	tr.reset()
	if tr.lastPiece() != nil || len(tr.lines()) != 0 {
		t.Error("reset leaves text")
	}
}
