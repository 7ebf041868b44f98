package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Error reports that a git command failed.
type Error struct {
	Dir     string
	Command string
	// Detail is the end of git's message, on one line.
	Detail string
	Err    error
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("git %s in %s: %v", e.Command, e.Dir, e.Err)
	}
	return fmt.Sprintf("git %s in %s: %v: %s", e.Command, e.Dir, e.Err, e.Detail)
}

func (e *Error) Unwrap() error { return e.Err }

// Failed returns the error of a command: an [*Error] or, if ctx was cancelled, the
// cause.
func (g Git) Failed(ctx context.Context, args []string, words string, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		return cause
	} else if cause != nil {
		err = fmt.Errorf("no answer: %w", cause)
	}
	return &Error{Dir: g.dir, Command: command(args), Detail: words, Err: err}
}

// command returns the arguments after the settings.
func command(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return strings.Join(args[:min(len(args), 1)], "")
}

// Detail returns git's own message in an error; empty if there is none.
func Detail(err error) string {
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed.Detail
	}
	return ""
}

// The statuses with which git says that there is nothing of the kind, or that it failed.
const (
	None   = 1
	Failed = 128
)

// Exited reports whether git exited with one of these statuses.
func Exited(err error, statuses ...int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && slices.Contains(statuses, exit.ExitCode())
}

// maxWords bounds what is kept of git's messages.
const maxWords = 4 << 10

// Words keeps the end of git's messages.
type Words struct{ kept []byte }

func (w *Words) Write(p []byte) (int, error) {
	w.kept = append(w.kept, p[max(len(p)-maxWords, 0):]...)
	if over := len(w.kept) - maxWords; over > 0 {
		w.kept = slices.Delete(w.kept, 0, over)
	}
	return len(p), nil
}

// String returns one line of valid UTF-8.
func (w *Words) String() string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(w.kept)), " "), "\uFFFD")
}
