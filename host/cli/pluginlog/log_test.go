package pluginlog

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALogIsBoundedWithinOneInvocationToo(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for range 3 {
		var stderr bytes.Buffer
		logger, done := Open("", &stderr, state)
		for range 2 * maxLog / 1000 {
			logger.Warn(strings.Repeat("x", 1000))
		}
		done()
		if stderr.Len() < 2*maxLog {
			t.Errorf("standard error has only %d bytes", stderr.Len())
		}
		for _, name := range []string{"plugins.log", "plugins.log.1"} {
			raw, err := os.ReadFile(filepath.Join(state, name))
			if err != nil && name == "plugins.log" {
				t.Fatal(err)
			}
			if len(raw) > maxLog+100 {
				t.Errorf("%s has %d bytes", name, len(raw))
			}
			if full := strings.Count(string(raw), "is full"); err == nil && full != 1 {
				t.Errorf("%s says %d times that it is full", name, full)
			}
		}
	}
}

func TestALogContinuesWhereItHasRoom(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for _, word := range []string{"first", "second"} {
		logger, done := Open("", &bytes.Buffer{}, state)
		logger.Warn(word)
		done()
	}
	raw, err := os.ReadFile(filepath.Join(state, "plugins.log"))
	if err != nil || !strings.Contains(string(raw), "first") || !strings.Contains(string(raw), "second") {
		t.Errorf("%q, %v", raw, err)
	}
}
