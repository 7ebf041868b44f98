package plugin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAStartWithoutItsPrerequisitesSaysWhatWasMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause error
		says  string
	}{
		"files":          {os.NewSyscallError("pipe2", syscall.EMFILE), "too many files are open; close some programs, or raise the limit (ulimit -n)"},
		"anybody's":      {os.NewSyscallError("pipe2", syscall.ENFILE), "too many files are open"},
		"something else": {errors.New("out of luck"), "did not start: open pipes for a plugin: out of luck"},
	} {
		candidate := Candidate{Name: "x", Path: "/x"}
		journal := newJournal(nil)
		i := &instance{config: Config{Candidate: candidate}, journal: journal, process: newProcess(candidate, nil, journal, nil)}
		err := i.diagnose(fmt.Errorf("open pipes for a plugin: %w", c.cause))
		if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "handshake") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPathIsNamedOnceWhereItCannotBeRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none")
	for _, reason := range []string{notRunnable(path), refusal(path, path)} {
		if !strings.HasPrefix(reason, "it cannot be read: ") || strings.Contains(reason, path) {
			t.Error(reason)
		}
	}
}
