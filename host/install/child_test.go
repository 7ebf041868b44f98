package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// childEnv makes the test binary the child that it describes as JSON.
const childEnv = "PROCTOR_TEST_INSTALLER"

// child is a process that installs.
type child struct {
	Store, Keys, Lock, Spec string
	// Remove names a plugin to remove instead.
	Remove string
	// Kill is the step at which it kills itself.
	Kill step
	// Full is what is on a full disk: the "store" or the "lock" file.
	Full string
}

func TestMain(m *testing.M) {
	text := os.Getenv(childEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	var c child
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.run(context.Background())
	}
	if err != nil {
		fmt.Print(err)
		os.Exit(1)
	}
}

func (c child) run(ctx context.Context) error {
	if c.Full != "" {
		return c.runOnFullDisk(ctx)
	}
	return c.work(ctx)
}

func (c child) work(ctx context.Context) error {
	in := New(Config{Store: c.Store, Keys: c.Keys, HostVersion: "1.2.3", Protocols: []int{1}, reached: func(s step) error {
		if s == c.Kill {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				return err
			}
			select {}
		}
		return nil
	}})
	if c.Remove != "" {
		_, err := in.Remove(ctx, c.Lock, c.Remove)
		return err
	}
	_, err := in.Install(ctx, Request{Lock: c.Lock, Spec: c.Spec})
	return err
}

// child prepares a process that works for the user.
func (u *user) child(c child) *exec.Cmd {
	u.t.Helper()
	c.Store, c.Keys, c.Lock = u.cfg.Store, u.cfg.Keys, u.lock
	text, err := json.Marshal(c)
	if err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.CommandContext(u.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text), "GORACE=atexit_sleep_ms=10")
	return cmd
}
