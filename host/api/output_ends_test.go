package api

import (
	"strings"
	"testing"
)

func TestHeadAndTailOfAnOutputAccountForAllOfIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "one line\n", strings.Repeat("x", maxOutputHead), strings.Repeat("x", maxOutputHead+maxOutputTail+1), strings.Repeat("a line\n", 100_000),
		strings.Repeat("x", 1<<20), "first\n" + strings.Repeat("y", 1<<20) + "\nlast\n",
	} {
		for _, step := range []int{1 << 30, 4096, 7} {
			var w OutputEndsBuilder
			for rest := text; rest != ""; {
				n := min(step, len(rest))
				w.Add([]byte(rest[:n]))
				rest = rest[n:]
			}
			o := w.Ends()
			if len(o.Head)+len(o.Tail)+int(o.Left) != len(text) || !strings.HasPrefix(text, o.Head) || !strings.HasSuffix(text, o.Tail) {
				t.Errorf("%d bytes by %d: %d, %d and %d left out", len(text), step, len(o.Head), len(o.Tail), o.Left)
			}
			if len(o.Head) > maxOutputHead || len(o.Tail) > maxOutputTail {
				t.Errorf("%d and %d bytes", len(o.Head), len(o.Tail))
			}
		}
	}
}
