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

func TestTranscriptKeepsTheBeginningOfAMessageLongerThanItsEnd(t *testing.T) {
	for name, first := range map[string]string{"short": `short\n`, "long": strings.Repeat("long", transcriptMessage/2)} {
		for _, lines := range []int{1, 100, 10_000} {
			var tr transcript
			add := func(text string) { tr.add([]byte(text), testjson.OutputPlain) }
			for range 2 * (transcriptHead + transcriptTail) / len(`noise\n`) {
				add(`noise\n`)
			}
			add(`    a_test.go:1: of another\n`)
			add(`    a_test.go:2: ` + first)
			for i := range lines {
				add(fmt.Sprintf(`        more %d\n`, i))
			}
			var found []block
			for _, b := range findBlocks(tr.lines()) {
				if b.line == 2 {
					found = append(found, b)
				}
			}
			if len(found) != 1 || !strings.HasPrefix(found[0].text[0], first[:4]) {
				t.Fatalf("%s, %d lines: found %v", name, lines, found)
			}
			if last := found[0].text[len(found[0].text)-1]; last != fmt.Sprint("more ", lines-1) && name == "short" {
				t.Errorf("%s, %d lines: it ends with %q", name, lines, last)
			}
			if sum := len(tr.head) + len(tr.message) + len(tr.tail); sum > transcriptHead+transcriptMessage+2*transcriptTail+2*maxPiece {
				t.Errorf("%s, %d lines: %d bytes are held", name, lines, sum)
			}
		}
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
