package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// oneByOne has a source read lines, each from its own write, and returns the chunks.
func oneByOne(t *testing.T, lim limits, lines int) []string {
	t.Helper()
	out, err := openPipes()
	if err != nil {
		t.Fatal(err)
	}
	defer out.close()
	go func() {
		for i := range lines {
			fmt.Fprintf(out.stdout.write, "line %d\n", i)
		}
		out.stdout.write.Close()
	}()
	chunks := make(chan chunk)
	go func() {
		newSource(sdk.Stdout, out.stdout, lim, make(chan struct{}, 1)).pump(chunks)
		close(chunks)
	}()
	var all []string
	for c := range chunks {
		all = append(all, string(c.data))
		c.free <- c.data
	}
	return all
}

func TestLinesWrittenOneByOneShareAChunk(t *testing.T) {
	t.Parallel()
	const lines = 1_000
	var want strings.Builder
	for i := range lines {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	for _, nap := range []time.Duration{0, time.Millisecond} {
		chunks := oneByOne(t, limits{coalesce: time.Hour, nap: nap}, lines)
		if len(chunks) != 1 || chunks[0] != want.String() {
			t.Errorf("nap %v: %d chunks of together %d bytes, want one of %d", nap, len(chunks), len(strings.Join(chunks, "")), want.Len())
		}
	}
}

func TestNothingIsLostBetweenChunks(t *testing.T) {
	t.Parallel()
	const lines = 50_000 // many chunks
	for _, nap := range []time.Duration{0, time.Millisecond} {
		text := strings.Join(oneByOne(t, limits{coalesce: time.Millisecond, nap: nap}, lines), "")
		if n := strings.Count(text, "\n"); n != lines || !strings.HasSuffix(text, fmt.Sprintf("line %d\n", lines-1)) {
			t.Errorf("nap %v: %d lines of %d", nap, n, lines)
		}
	}
}
