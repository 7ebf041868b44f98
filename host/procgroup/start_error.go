package procgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// StartError says that a process could not be started.
type StartError struct {
	// Path and Dir are the program and its working directory.
	Path, Dir string
	// Why and Todo are for the user.
	Why, Todo string
	// Err is the cause: [fs.ErrNotExist], [fs.ErrPermission], a context error and so
	// on.
	Err error
}

// Error names the program, the reason and the remedy.
func (e *StartError) Error() string {
	text := fmt.Sprintf("cannot start %s", e.Path)
	if e.Dir != "" {
		text += " in " + e.Dir
	}
	text += ": " + e.Why
	if e.Todo != "" {
		text += "; " + e.Todo
	}
	return text
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// errRelative rejects names that would depend on the working directory.
var errRelative = errors.New("not an absolute path")

// check rejects what must not be tried.
func check(ctx context.Context, cfg Config) error {
	if err := ctx.Err(); err != nil {
		return newStartError(cfg, err)
	}
	if !filepath.IsAbs(cfg.Path) {
		return newStartError(cfg, errRelative)
	}
	return nil
}

// newStartError explains err. The kernel reports "no such file" for the program, its
// interpreter and the directory alike, so newStartError checks which one it was.
func newStartError(cfg Config, err error) *StartError {
	e := &StartError{Path: cfg.Path, Dir: cfg.Dir, Err: err}
	e.Why, e.Todo = explain(cfg, err)
	return e
}

func explain(cfg Config, err error) (why, todo string) {
	switch {
	case errors.Is(err, context.Canceled):
		return "it was cancelled before it started", ""
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not start in time", "try again with more time, or on a less busy machine"
	case errors.Is(err, errRelative):
		return "it is not an absolute path", "give the full path of the program"
	}
	if cfg.Dir != "" {
		if info, statErr := os.Stat(cfg.Dir); statErr != nil {
			return "the working directory cannot be used: " + cause(statErr), "check that the directory exists and is accessible"
		} else if !info.IsDir() {
			return "the working directory is a file", "give a directory"
		}
	}
	info, statErr := os.Stat(cfg.Path)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return "there is no such file", "install it, or correct the path"
	case statErr != nil:
		return cause(statErr), "check the rights of the file and of the directories above it"
	case info.IsDir():
		return "it is a directory", "give the path of the program in it"
	case errors.Is(err, fs.ErrPermission):
		return "it is not executable for you", "make it executable (chmod +x), and check that its file system allows programs to run"
	case errors.Is(err, fs.ErrNotExist):
		return "the file exists, but the interpreter or loader it names does not", "install the interpreter named in its first line, or a build for this system"
	case errors.Is(err, syscall.ENOEXEC):
		return "it is not a program for this system", "install a build for this operating system and processor; a script needs a first line such as #!/bin/sh"
	case errors.Is(err, syscall.E2BIG):
		return "its arguments and environment are too long", "select fewer tests, or make the environment smaller"
	case errors.Is(err, syscall.EAGAIN):
		return "too many processes are running", "end some processes, or raise the limit (ulimit -u)"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many files are open", "close some programs, or raise the limit (ulimit -n)"
	}
	return cause(err), ""
}

// cause is the text of err without the operation and path, which the message already
// has.
func cause(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
