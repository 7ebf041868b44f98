package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// roleEnv, a role as JSON, makes the test binary play another proctor.
const roleEnv = "PROCTOR_TEST_STORE"

type role struct {
	Do, Dir, Version, Content string
	// KillAt is the step at which the process kills itself.
	KillAt string
}

func TestMain(m *testing.M) {
	if text := os.Getenv(roleEnv); text != "" {
		var r role
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			fmt.Print(err)
			os.Exit(2)
		}
		fmt.Print(r.play(context.Background()))
		return
	}
	goleak.VerifyTestMain(m)
}

// play returns how it went. It begins when standard input ends.
func (r role) play(ctx context.Context) string {
	s := Open(r.Dir)
	s.step = func(step string) {
		if step == r.KillAt {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	var err error
	switch r.Do {
	case "install":
		_, err = install(ctx, s, r.Version, r.Content, receipt())
	case "remove":
		err = remove(ctx, s, r.Version)
	default:
		if role := linuxRoles()[r.Do]; role != nil {
			err = role(ctx, r.Dir)
		}
	}
	var different *DifferentError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &different):
		return "different"
	}
	return err.Error()
}

// command returns a process in a role.
func (r role) command(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+string(text))
	return cmd
}
