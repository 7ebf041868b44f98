//go:build unix

package source_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

func TestAnIrregularFileIsNeitherWaitedForNorRead(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.work", "pipe_test.go"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero_test.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir_test.go"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string]map[string]string{"project": nil, "upload": {source.Upload: "1"}} {
		t.Run(name, func(t *testing.T) {
			r := source.NewReader(dir, env)
			failIfHanging(t, func() {
				for _, file := range []string{"pipe_test.go", "zero_test.go", "dir_test.go"} {
					if data, err := r.Bytes(filepath.Join(dir, file), 100); err == nil || errors.Is(err, fs.ErrNotExist) {
						t.Errorf("%s: %q, %v", file, data, err)
					}
					if files, err := r.GoFiles(filepath.Join(dir, file)); err == nil && file != "dir_test.go" {
						t.Errorf("%s: listed as %q", file, files)
					}
				}
				if functions, err := r.DirFunctions(dir); err == nil || len(functions) > 0 {
					t.Errorf("%v, %v", functions, err)
				}
				if layout, err := source.ReadLayout(dir, env); err == nil {
					t.Errorf("a pipe was read as go.mod: %+v", layout)
				}
				if _, err := source.ReadDependencies(dir); err == nil {
					t.Error("a pipe was read as go.mod")
				}
			})
		})
	}
}

func TestAFileThatBecomesAPipeMeanwhileIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe, file, path := filepath.Join(dir, "pipe"), filepath.Join(dir, "file"), filepath.Join(dir, "a_test.go")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, file, "package p\n")
	swap := func() {
		for _, now := range []string{pipe, file} {
			next := path + ".next"
			if err := errors.Join(os.Link(now, next), os.Rename(next, path)); err != nil {
				t.Error(err)
			}
		}
	}
	swap()
	ctx, cancel := context.WithCancel(t.Context())
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for ctx.Err() == nil {
			swap()
		}
	})
	failIfHanging(t, func() {
		for range 3000 {
			if data, err := (source.Reader{}).Bytes(path, 100); err == nil && string(data) != "package p\n" {
				t.Errorf("%q", data)
			}
		}
	})
	cancel()
	swapping.Wait()
}

// failIfHanging fails the test if do does not return.
func failIfHanging(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("waited for ever")
	}
}
