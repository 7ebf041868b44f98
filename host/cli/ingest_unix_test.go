//go:build unix

package cli

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestAPipeWithoutAWriterIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	pipe := filepath.Join(w.home, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	b := w.start("ingest", "--plugin", "go", pipe)
	time.Sleep(500 * time.Millisecond) // nothing can be seen of a process that waits
	b.cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan reply, 1)
	go func() { ended <- b.end() }()
	select {
	case r := <-ended:
		if r.code == 0 || r.code == -1 {
			t.Errorf("exit %d: %s", r.code, r.stderr)
		}
	case <-time.After(patience):
		b.cmd.Process.Kill()
		t.Error("it does not end")
	}
}
