//go:build unix

package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

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

// A report may be larger than a pipe, and its reader slow.
func TestAPipeIsWrittenAsFastAsItIsRead(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	f, err := openInPlace(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if status, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0); err != nil || status&unix.O_NONBLOCK != 0 {
		t.Errorf("a full pipe is an error: %x, %v", status, err)
	}
}
