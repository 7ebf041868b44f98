//go:build unix

package reports

import (
	"bytes"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestAPipeThatNobodyReadsIsNamedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	var stderr bytes.Buffer
	r := Reports{junit: pipe}
	if err := r.Begin(); err != nil {
		t.Fatal(err)
	}
	r.Listen(&api.RunFinished{Run: api.Run{Verdict: api.Passed}})
	failed := r.Write(t.Context(), Surroundings{Stderr: &stderr, Getenv: func(string) string { return "" }}, nil, nil, "", true)
	if !failed || !strings.Contains(stderr.String(), "nobody reads the pipe") {
		t.Errorf("failed is %v: %s", failed, stderr.String())
	}
}
