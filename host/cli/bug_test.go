package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// panicking is what a bug might do.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("out of cheese\x1b[2J") }

func TestABugIsNotReportedAsMisuse(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	code := run(context.Background(), environment{Args: []string{"--version"}, Stdout: panicking{}, Stderr: &stderr})
	if code != exitTool {
		t.Errorf("exit code %d, want %d", code, exitTool)
	}
	for _, text := range []string{"this is a bug in proctor", "out of cheese", "panicking.Write"} {
		if !strings.Contains(stderr.String(), text) {
			t.Errorf("%q is missing in %q", text, &stderr)
		}
	}
	if strings.Contains(stderr.String(), "\x1b") {
		t.Errorf("an escape sequence came through: %q", &stderr)
	}
}
