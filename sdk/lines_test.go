package sdk_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

type line struct {
	text                     string
	continued, more, unended bool
}

// readLines collects the lines of chunks.
func readLines(limit int, chunks ...[]byte) []line {
	var lines []line
	r := sdk.NewLineReader(limit, func(l sdk.Line) {
		lines = append(lines, line{string(l.Text), l.Continued, l.More, l.Unended})
	})
	for _, chunk := range chunks {
		r.Write(chunk)
	}
	r.Close()
	return lines
}

func TestLineReaderSplitsAStreamIntoLines(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []line
	}{
		{"nothing has no lines", "", nil},
		{"a line end of its own is an empty line", "\n", []line{{text: ""}}},
		{"lines", "a\nb\n", []line{{text: "a"}, {text: "b"}}},
		{"the last line may lack its end", "a\nb", []line{{text: "a"}, {text: "b", unended: true}}},
		{"windows line ends", "a\r\n\r\nb\r\n", []line{{text: "a"}, {text: ""}, {text: "b"}}},
		{"a carriage return inside a line stays", "a\rb\n", []line{{text: "a\rb"}}},
		{"only one carriage return belongs to the end", "a\r\r\n", []line{{text: "a\r"}}},
		{"without a line end a carriage return stays", "a\r", []line{{text: "a\r", unended: true}}},
		{"NUL and broken UTF-8 stay", "\x00\xff\n", []line{{text: "\x00\xff"}}},
		{"a line of the limit is whole", "12345\n", []line{{text: "12345"}}},
		{"also with a windows line end", "12345\r\n", []line{{text: "12345"}}},
		{"a longer line comes in pieces", "12345678901\nx\n", []line{
			{text: "12345", more: true}, {text: "67890", continued: true, more: true}, {text: "1", continued: true}, {text: "x"}}},
		{"twice the limit is two pieces", "1234567890\n", []line{{text: "12345", more: true}, {text: "67890", continued: true}}},
		{"one more than the limit is two pieces", "123456\r\n", []line{{text: "12345", more: true}, {text: "6", continued: true}}},
		{"a long line may lack its end", "1234567", []line{{text: "12345", more: true}, {text: "67", continued: true, unended: true}}},
		{"a piece may end in a carriage return", "1234\r67\n", []line{{text: "1234\r", more: true}, {text: "67", continued: true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			const limit = 5
			if got := readLines(limit, []byte(test.in)); !reflect.DeepEqual(got, test.want) {
				t.Errorf("in one chunk: got %+v, want %+v", got, test.want)
			}
			if got := readLines(limit, bytes.SplitAfter([]byte(test.in), nil)...); !reflect.DeepEqual(got, test.want) {
				t.Errorf("byte by byte: got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestLineReportsWhetherItIsWhole(t *testing.T) {
	for _, l := range []sdk.Line{{Continued: true}, {More: true}, {Unended: true}} {
		if l.Whole() {
			t.Errorf("%+v is not a complete line", l)
		}
	}
	if !(sdk.Line{}).Whole() {
		t.Error("a continued line counts as complete")
	}
}

func TestALineWithinAChunkIsNotCopied(t *testing.T) {
	chunk := []byte(strings.Repeat("0123456789\n", 100))
	r := sdk.NewLineReader(0, func(sdk.Line) {})
	if n := testing.AllocsPerRun(10, func() { r.Write(chunk) }); n > 0 {
		t.Errorf("%v allocations for lines within a chunk", n)
	}
}

func TestALongLineIsNotBuffered(t *testing.T) {
	const limit = 1 << 10
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	total := 0
	r := sdk.NewLineReader(limit, func(l sdk.Line) { total += len(l.Text) })
	r.Write(chunk[:10]) // from now on every piece crosses chunks
	if n := testing.AllocsPerRun(20, func() { r.Write(chunk) }); n > 1 {
		t.Errorf("%v allocations a chunk: the line is being collected", n)
	}
	r.Close()
	if want := 10 + 21*len(chunk); total != want {
		t.Errorf("read %d of %d bytes", total, want)
	}
}

func FuzzChunkingNeverChangesLines(f *testing.F) {
	f.Add([]byte("a\r\nbc\n\xff\x00"), 3, uint64(1))
	f.Add([]byte(strings.Repeat("x", 20)+"\r\n"), 5, uint64(2))
	f.Fuzz(func(t *testing.T, in []byte, limit int, seed uint64) {
		limit = 1 + limit&31
		whole := readLines(limit, in)
		random := rand.New(rand.NewPCG(seed, 0))
		var chunks [][]byte
		for rest := in; len(rest) > 0; {
			n := random.IntN(len(rest) + 1)
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		if got := readLines(limit, chunks...); !reflect.DeepEqual(got, whole) {
			t.Fatalf("limit %d, chunks %q: got %+v, want %+v", limit, chunks, got, whole)
		}
		if got := rejoinLines(whole); got != strings.ReplaceAll(string(in), "\r\n", "\n") {
			t.Fatalf("the lines of %q lack something: %q", in, got)
		}
		for _, l := range whole {
			if len(l.text) > limit {
				t.Fatalf("%q is longer than %d", l.text, limit)
			}
		}
	})
}

// rejoinLines returns the stream that lines came from, with plain line ends.
func rejoinLines(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		if !l.more && !l.unended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
