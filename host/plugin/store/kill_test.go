package store

import (
	"testing"
)

// installSteps maps the steps of an install at which it may be killed to whether the
// plugin exists afterwards; removeSteps does the same for a removal.
func installSteps() map[string]bool {
	return map[string]bool{
		"reserved": false, "staged": false, "filled": false, "checked": false, "receipt": false, "synced": false,
		"renamed": true, "published": true,
	}
}

func removeSteps() map[string]bool { return map[string]bool{"aside": false, "deleted": false} }

func TestTheStepsThatAreKilledAtAreAllThereAre(t *testing.T) {
	s := open(t)
	left := installSteps()
	check := func(at string) {
		if _, ok := left[at]; !ok {
			t.Errorf("step %q is not tried, or happens twice", at)
		}
		delete(left, at)
	}
	s.step = check
	mustInstall(t, s, version, "program")
	if len(left) > 0 {
		t.Errorf("an install has no steps %v", left)
	}
	left = removeSteps()
	if err := remove(t.Context(), s, version); err != nil {
		t.Error(err)
	}
	if len(left) > 0 {
		t.Errorf("a removal has no steps %v", left)
	}
}

func TestAKillAtAnyStepLeavesWholePluginsOnly(t *testing.T) {
	for step, installed := range installSteps() {
		s := open(t)
		mustInstall(t, s, "1.0.0", "old")
		kill(t, role{Do: "install", Dir: s.dir, Version: version, Content: "program", KillAt: step})
		want := []string{"1.0.0"}
		if installed {
			want = append(want, version)
		}
		t.Log("killed when", step)
		checkWhole(t, s, want...)
		mustInstall(t, s, version, "program")
		checkWhole(t, s, "1.0.0", version)
		if left := staged(t, s); len(left) > 0 {
			t.Errorf("%s: left behind: %v", step, left)
		}
	}
	for step := range removeSteps() {
		s := open(t)
		mustInstall(t, s, "1.0.0", "old")
		mustInstall(t, s, version, "program")
		kill(t, role{Do: "remove", Dir: s.dir, Version: version, KillAt: step})
		t.Log("killed when", step)
		checkWhole(t, s, "1.0.0")
		mustInstall(t, s, version, "program")
		checkWhole(t, s, "1.0.0", version)
		if left := staged(t, s); len(left) > 0 {
			t.Errorf("%s: left behind: %v", step, left)
		}
	}
}

func kill(t *testing.T, r role) {
	t.Helper()
	out, err := r.command(t).CombinedOutput()
	if err == nil || len(out) > 0 {
		t.Fatalf("%s: it was not killed: %v, %s", r.KillAt, err, out)
	}
}
