package install

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestAKillAtAnyStepLeavesAnIntactStoreAndACorrectLockFile(t *testing.T) {
	pub := newPublisher(t)
	steps := []step{stepResolved, stepLocked, stepFetched, stepCleared, stepPublished, stepPinned, stepWritten}
	for _, s := range steps {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			u, pub := newUser(t), *pub
			pub.t, pub.dir = t, t.TempDir()
			pub.x.Plugins = map[string]indexPlugin{}
			pub.add("tap", "1.0.0", u.program("1"))
			u.install(pub.address())
			pub.add("tap", "1.1.0", u.program("2"))

			cmd := u.child(child{Spec: pub.address(), Kill: s})
			if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.Success() || len(out) > 0 {
				t.Fatalf("it was not killed: %v %s", err, out)
			}
			u.whole()
			version := "1.0.0"
			if s == stepWritten {
				version = "1.1.0"
			}
			if e := u.locked().Plugins["tap"]; e.Version != version {
				t.Errorf("locked %+v", e)
			}
			if p := u.install(pub.address()); p.Version != "1.1.0" {
				t.Errorf("the next install: %+v", p)
			}
			u.whole()
			u.noLeftovers()
		})
	}
}

// noLeftovers checks that killed installers left nothing behind.
func (u *user) noLeftovers() {
	u.t.Helper()
	for _, dir := range []string{filepath.Join(u.cfg.Store, ".staging"), filepath.Dir(u.lock)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			u.t.Error(err)
		}
		for _, e := range entries {
			if filepath.Join(dir, e.Name()) != u.lock {
				u.t.Errorf("left behind: %s", filepath.Join(dir, e.Name()))
			}
		}
	}
}

func TestAKillDuringARemovalLeavesACorrectLockFile(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	if err := u.child(child{Remove: "tap", Kill: stepWritten}).Run(); err == nil {
		t.Fatal("it was not killed")
	}
	if len(u.locked().Plugins) > 0 {
		t.Error("the plugin is still locked")
	}
	u.whole()
	u.install(pub.address())
}

func TestConcurrentInstallersDoNotInterfere(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	for _, name := range []string{"tap", "bats"} {
		pub.add(name, "1.0.0", u.program("1"))
	}
	var processes []*exec.Cmd
	var outputs []*bytes.Buffer
	for i := range 6 {
		cmd := u.child(child{Spec: pub.address() + "#" + []string{"tap", "bats"}[i%2]})
		out := &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes, outputs = append(processes, cmd), append(outputs, out)
	}
	for i, cmd := range processes {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v %s", i, err, outputs[i])
		}
	}
	if got := u.locked().Plugins; len(got) != 2 {
		t.Errorf("locked %+v", got)
	}
	if got := u.installed(); len(got) != 2 {
		t.Errorf("installed %q", got)
	}
	u.whole()
	u.noLeftovers()
}

func TestAnErrorAtAnyStepLeavesAnIntactStoreAndSaysSo(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	for _, s := range []step{stepResolved, stepLocked, stepFetched, stepCleared, stepPublished, stepPinned} {
		broken := fmt.Errorf("broken at %s", s)
		u.cfg.reached = func(at step) error {
			if at == s {
				return broken
			}
			return nil
		}
		if _, err := u.try(Request{Spec: pub.address()}); err != broken {
			t.Errorf("%s: %v", s, err)
		}
		if len(u.locked().Plugins) > 0 {
			t.Errorf("%s: the plugin was locked", s)
		}
		u.installed()
		u.wipe()
		os.Remove(u.cfg.Keys)
	}
	u.cfg.reached = nil
	u.install(pub.address())
	u.whole()
}
