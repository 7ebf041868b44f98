package work

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

// What a remote or a test says reaches the terminal of a worker as text.
func TestTheLogHasNoEscapesOfOthers(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := &machine{Config: Config{Log: &out}}
	m.log("run %s part %d: %v", "r", 1, errors.New("\x1b[2Jremote: no\nrun r part 1: passed"))
	if text := out.String(); strings.Contains(text, "\x1b") || strings.Count(text, "\n") != 1 {
		t.Errorf("%q", text)
	}
}

func TestAMachineOnWhichBatchesFailLeavesThemToOthers(t *testing.T) {
	t.Parallel()
	for failed, want := range map[int]time.Duration{
		1: 0, 2: firstPause, 3: 2 * firstPause, 4: 4 * firstPause, 20: longestPause, 1 << 30: longestPause,
	} {
		if got := pauseAfter(failed); got != want {
			t.Errorf("after %d: %v, want %v", failed, got, want)
		}
	}
}
