package lock

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// The test binary also plays a process of a test: one that adds a plugin several times,
// or one that dies while it changes a file.
const (
	roleVariable = "PROCTOR_LOCK_TEST_ROLE"
	roleAdd      = "add"
	roleDie      = "die"
)

// quickExit avoids the second by which the race detector delays an exit.
const quickExit = "GORACE=atexit_sleep_ms=0"

// eachAdds is how many plugins a process adds.
const eachAdds = 6

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		// A process left by a failing test must not stay forever.
		time.AfterFunc(hang, func() { os.Exit(98) })
	}
	switch os.Getenv(roleVariable) {
	case roleAdd:
		os.Exit(add(os.Args[1], os.Args[2]))
	case roleDie:
		_ = Change(context.Background(), os.Args[1], func(f *File) error {
			f.Plugins["dead"] = Entry{Version: "1.0.0", Source: "local:/x"}
			process, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = process.Kill()
			}
			if err == nil {
				select {} // until it is dead
			}
			return err
		})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// role returns a process of this binary.
func role(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+name, quickExit)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

func add(path, name string) int {
	for n := range eachAdds {
		err := Change(context.Background(), path, func(f *File) error {
			f.Plugins[name+strconv.Itoa(n)] = Entry{Version: "1.0.0", Source: "local:/x"}
			return nil
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}
