package runner

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

const captureLimit = headLimit + tailLimit

func captureOf(text []byte, sizes func() int) Capture {
	var c Capture
	for len(text) > 0 {
		n := min(len(text), max(1, sizes()))
		c.write(text[:n])
		text = text[n:]
	}
	return c
}

// lettersOf makes n bytes that do not repeat soon, without newlines.
func lettersOf(rng *rand.Rand, n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('a' + rng.IntN(26))
	}
	return text
}

func TestCaptureKeepsBothEndsHoweverItWasWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{
		0, 1, 1000, headLimit - 1, headLimit, headLimit + 1, captureLimit - 1, captureLimit, captureLimit + 1,
		captureLimit + tailLimit - 1, captureLimit + tailLimit, captureLimit + tailLimit + 1, 5*captureLimit + 77,
	} {
		text := lettersOf(rng, size)
		want := string(text)
		if size > captureLimit {
			want = string(text[:headLimit]) + "\n[TRUNCATED]\n" + string(text[size-tailLimit:])
		}
		for name, sizes := range map[string]func() int{
			"at once": func() int { return size },
			"chunks":  func() int { return chunkSize },
			"random":  func() int { return rng.IntN(2 * tailLimit) },
		} {
			c := captureOf(text, sizes)
			if c.String() != want {
				t.Errorf("%d bytes written %s: kept %d, want %d", size, name, len(c.String()), len(want))
			}
			if c.total != int64(size) || c.isTruncated() != (size > captureLimit) {
				t.Errorf("%d bytes written %s: total %d, truncated %v", size, name, c.total, c.isTruncated())
			}
			if got, want := c.Tail(100), string(text[max(0, size-100):]); got != want {
				t.Errorf("%d bytes written %s: tail %q, want %q", size, name, got, want)
			}
		}
	}
}

func TestCaptureTakesNoMoreMemoryThanItKeeps(t *testing.T) {
	c := captureOf(bytes.Repeat([]byte("x"), 20*captureLimit), func() int { return chunkSize })
	if got := cap(c.head) + cap(c.tail); got > captureLimit*3/2 {
		t.Errorf("holds %d bytes", got)
	}
}

func TestTailStartsWithAWholeLine(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"", 10, ""},
		{"short", 10, "short"},
		{"one\ntwo\nthree\n", 100, "one\ntwo\nthree\n"},
		{"one\ntwo\nthree\n", 11, "two\nthree\n"},
		{"one\ntwo\nthree\n", 10, "two\nthree\n"},
		{"one\ntwo\nthree\n", 9, "three\n"},
		{"one\ntwo\nthree\n", 3, "ee\n"},
		{"a line that is too long", 4, "long"},
		{"ends in é", 1, "\uFFFD"},
		{"x é y", 4, "é y"},
		{"x é y", 3, " y"},
		{"x", 0, ""},
	}
	for _, test := range tests {
		var c Capture
		c.write([]byte(test.text))
		if got := c.Tail(test.limit); got != test.want {
			t.Errorf("last %d of %q: %q, want %q", test.limit, test.text, got, test.want)
		}
	}
}

func TestCutCharactersAreDroppedNotGarbled(t *testing.T) {
	// An odd offset puts a two-byte character across each cut.
	text := []byte("x" + strings.Repeat("é", captureLimit))
	text = append(text, 'y')
	c := captureOf(text, func() int { return chunkSize })
	if got := c.String(); strings.ContainsRune(got, utf8.RuneError) {
		t.Errorf("garbled around %d", strings.IndexRune(got, utf8.RuneError))
	}
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte("text\n"), uint64(1), uint(1))
	f.Add([]byte("é\xff\n"), uint64(2), uint(200_000))
	f.Fuzz(func(t *testing.T, unit []byte, seed uint64, repeat uint) {
		if len(unit) == 0 {
			return
		}
		text := bytes.Repeat(unit, min(int(repeat%300_000)+1, 3*captureLimit/len(unit)+1))
		rng := rand.New(rand.NewPCG(seed, 0))
		whole := captureOf(text, func() int { return len(text) })
		pieces := captureOf(text, func() int { return rng.IntN(chunkSize) })
		if whole.String() != pieces.String() || whole.Tail(4096) != pieces.Tail(4096) {
			t.Error("how it was written makes a difference")
		}
		if !utf8.ValidString(whole.String()) || !utf8.ValidString(whole.Tail(100)) {
			t.Error("not valid UTF-8")
		}
		if got := strings.Contains(whole.String(), "\n[TRUNCATED]\n"); !bytes.Contains(text, []byte(truncationLine)) && got != (len(text) > captureLimit) {
			t.Errorf("marker %v for %d bytes", got, len(text))
		}
		if kept := string(whole.String()); utf8.Valid(text) && len(kept) > captureLimit+len(truncationLine)+2 {
			t.Errorf("kept %d bytes", len(kept))
		}
	})
}
