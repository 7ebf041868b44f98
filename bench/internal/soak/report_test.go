package soak

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/bench/internal/edit"
)

func TestWhatIsHeldIsComparedByThirds(t *testing.T) {
	r := newReport()
	for i := range 9 {
		r.sampled(sample{"flat": 7, "growing": float64(10 + i/3*10), "late": float64(i / 8)})
	}
	want := map[string]Held{
		"flat":    {"flat", 7, 7, 7},
		"growing": {"growing", 10, 30, 30},
		"late":    {"late", 0, 0, 1},
	}
	for _, h := range r.Held() {
		if h != want[h.What] {
			t.Errorf("got %+v, want %+v", h, want[h.What])
		}
		delete(want, h.What)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestWhatWasNotThereAtFirstHasGrown(t *testing.T) {
	for h, want := range map[Held]float64{
		{First: 2, Last: 3}: 1.5,
		{First: 0, Last: 0}: 1,
		{First: 0, Last: 1}: 2,
	} {
		if got := h.Ratio(); got != want {
			t.Errorf("%+v: %g, want %g", h, got, want)
		}
	}
}

func TestCallsAreComparedByTenthsAndThirds(t *testing.T) {
	r := newReport()
	r.took("seldom", time.Second)
	for i := range 100 {
		r.took("often", time.Duration(1+i/10)*time.Second)
	}
	r.calls["often"][4] = time.Hour // in the first tenth
	all := r.Calls()
	if len(all) != 1 || all[0].What != "often" || all[0].Number != 100 {
		t.Fatalf("got %+v", all)
	}
	c := all[0]
	if c.Median[0] != time.Second || c.P95[0] != time.Hour || c.Median[9] != 10*time.Second || c.P95[9] != 10*time.Second {
		t.Errorf("got %+v", c)
	}
	if c.Ratio != 4.5 { // 9 s to 2 s
		t.Errorf("ratio %g, want 4.5", c.Ratio)
	}
}

func TestADifferentFailureIsNoticed(t *testing.T) {
	f := faults()[0]
	right := reply{Status: f.status}
	for _, red := range f.red {
		suite, test, _ := strings.Cut(red, " ")
		right.Failures = append(right.Failures, struct{ Suite, Test string }{suite, test})
	}
	if err := checkFailures("run_tests", right, f); err != nil {
		t.Error(err)
	}
	other, less, green := right, right, right
	other.Failures = append(right.Failures[:1:1], struct{ Suite, Test string }{pricePkg, "TestAnother"})
	less.Failures = right.Failures[:1]
	green.Status = "passed"
	for _, r := range []reply{other, less, green} {
		if err := checkFailures("run_tests", r, f); err == nil || !strings.HasPrefix(err.Error(), "run_tests") {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}

func TestEachFaultFitsTheModule(t *testing.T) {
	for _, f := range faults() {
		d := day{dir: t.TempDir()}
		if err := edit.WriteFiles(d.dir, module()); err != nil {
			t.Fatal(err)
		}
		if err := d.inject(f); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if err := d.restore(f); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		for file, want := range module() {
			if got, err := os.ReadFile(d.dir + "/" + file); err != nil || string(got) != want {
				t.Errorf("%s: %s is not restored: %v", f.name, file, err)
			}
		}
	}
}

func TestAProcessThatIsLeftIsFound(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this system does not show the environment of processes")
	}
	left := exec.Command("sleep", "60")
	left.Env = append(os.Environ(), markName+"="+t.Name())
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	if found := leftovers(t.Name(), nil); len(found) != 1 || !strings.Contains(found[0], "sleep 60") {
		t.Errorf("found %q", found)
	}
	if found := leftovers(t.Name(), map[int]bool{left.Process.Pid: true}); len(found) != 0 {
		t.Errorf("found %q, which is known", found)
	}
	if err := left.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = left.Wait()
	if found := leftovers(t.Name(), nil); len(found) != 0 {
		t.Errorf("found %q, which has ended", found)
	}
}
