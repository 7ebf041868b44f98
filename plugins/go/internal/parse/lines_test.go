package parse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func splitLines(data string, size int) []string {
	var l lineSplitter
	var got []string
	emit := func(line []byte, excess int) {
		got = append(got, fmt.Sprintf("%d:%s+%d", len(line), line[:min(len(line), 20)], excess))
	}
	for len(data) > 0 {
		n := min(size, len(data))
		l.write([]byte(data[:n]), emit)
		data = data[n:]
	}
	l.flush(emit)
	return got
}

func TestLinesDoNotDependOnChunks(t *testing.T) {
	long := strings.Repeat("x", maxLine+10)
	for name, data := range map[string]string{
		"lines":            "a\nbc\n\nd\r\n",
		"no final newline": "a\nb",
		"only newlines":    "\n\n",
		"empty":            "",
		"too long":         "a\n" + long + "\nb\n",
		"too long, last":   "a\n" + long,
		"exactly the most": strings.Repeat("y", maxLine-1) + "\nz\n",
	} {
		t.Run(name, func(t *testing.T) {
			want := splitLines(data, len(data)+1)
			for _, size := range []int{1, 3, 4096, maxLine} {
				if size == 1 && len(data) > maxLine {
					continue // the other sizes cut the line, too
				}
				if got := splitLines(data, size); !slices.Equal(got, want) {
					t.Errorf("chunks of %d bytes:\n got %q\nwant %q", size, got, want)
				}
			}
		})
	}
}

func TestLinesBoundTheLongest(t *testing.T) {
	got := splitLines(strings.Repeat("x", maxLine+10)+"\nnext\n", 1000)
	want := []string{fmt.Sprintf("%d:%s+%d", maxLine, strings.Repeat("x", 20), 11), "5:next\n+0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
