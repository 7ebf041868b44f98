//go:build unix

package procgroup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStartErrorNamesWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := file("plain", "text", 0o644)
	tests := map[string]struct {
		cfg  Config
		want []string // parts of the message
		is   error
	}{
		"missing program":     {Config{Path: dir + "/none"}, []string{dir + "/none", "no such file", "install"}, fs.ErrNotExist},
		"missing directory":   {Config{Path: os.Args[0], Dir: dir + "/none"}, []string{os.Args[0], dir + "/none", "working directory"}, fs.ErrNotExist},
		"file as directory":   {Config{Path: os.Args[0], Dir: plain}, []string{plain, "is a file"}, syscall.ENOTDIR},
		"not executable":      {Config{Path: plain}, []string{plain, "not executable", "chmod"}, fs.ErrPermission},
		"directory":           {Config{Path: dir}, []string{dir, "is a directory"}, fs.ErrPermission},
		"missing interpreter": {Config{Path: file("script", "#!/nonexistent/interpreter\n", 0o755)}, []string{"interpreter"}, fs.ErrNotExist},
		"no program":          {Config{Path: file("noise", "\x01\x02\x03", 0o755)}, []string{"not a program for this system"}, syscall.ENOEXEC},
		"relative":            {Config{Path: "sh"}, []string{"sh", "absolute"}, nil},
		"too long":            {Config{Path: os.Args[0], Args: []string{"x", strings.Repeat("x", 8<<20)}}, []string{"too long"}, syscall.E2BIG},
	}
	before := openFileCount(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Start(t.Context(), test.cfg)
			if err == nil {
				p.Release()
				t.Fatal("it started")
			}
			var startErr *StartError
			if !errors.As(err, &startErr) || startErr.Path != test.cfg.Path || startErr.Dir != test.cfg.Dir {
				t.Fatalf("not a StartError of this program: %#v", err)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("no %q in: %v", part, err)
				}
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
		})
	}
	if after := openFileCount(t); after != before {
		t.Errorf("%d open files before the failures, %d after", before, after)
	}
}

func TestStartHonorsItsContext(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(cancelled, Config{Path: os.Args[0]}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// A shell that never becomes ready must not hold up the start.
	shell := filepath.Join(t.TempDir(), "sh")
	if err := os.WriteFile(shell, []byte("#!/bin/sh\nread -r _\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Start(late, Config{Path: os.Args[0], Group: prepare(shell)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("late: %v", err)
	}
}
