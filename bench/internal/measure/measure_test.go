package measure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The test binary acts as the measured programs.
const roleVariable = "PROCTOR_BENCH_TEST_ROLE"

const (
	heldBytes  = 96 << 20
	burnedTime = 150 * time.Millisecond
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "fail":
		fmt.Fprintln(os.Stderr, "it is broken")
		os.Exit(3)
	case "print":
		fmt.Println("hello")
	case "burn":
		for began := time.Now(); time.Since(began) < burnedTime; {
		}
	case "hold":
		hold()
	case "parent of hold":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), roleVariable+"=hold")
		if err := cmd.Run(); err != nil {
			panic(err)
		}
	}
}

// hold touches memory and stays alive until it has certainly been sampled.
func hold() {
	b := make([]byte, heldBytes)
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 1
	}
	time.Sleep(100 * time.Millisecond)
	runtime.KeepAlive(b)
}

func role(name string) Command {
	return Command{Argv: []string{os.Args[0]}, Env: []string{roleVariable + "=" + name}}
}

func TestProcessorTimeIsTheProgramsOwn(t *testing.T) {
	s, err := Run(t.Context(), role("burn"))
	if err != nil {
		t.Fatal(err)
	}
	// A busy machine stretches the wall time and gives less of the processor.
	if s.Wall < burnedTime || s.CPU <= 0 || s.CPU > 2*s.Wall {
		t.Errorf("wall %v, CPU %v of a program that was busy for %v", s.Wall, s.CPU, burnedTime)
	}
}

func TestPeakOfAChildIsSeen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the peak of another process")
	}
	for _, name := range []string{"hold", "parent of hold"} {
		c := role(name)
		c.Watch = true
		s, err := Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var most int64
		for _, peak := range s.Peaks {
			most = max(most, peak)
		}
		if most < heldBytes {
			t.Errorf("%s: peaks %v, want at least %d", name, s.Peaks, heldBytes)
		}
	}
}

func TestAProgramThatFailsIsNotMeasured(t *testing.T) {
	_, err := Run(t.Context(), role("fail"))
	if err == nil || !strings.Contains(err.Error(), "exit code 3,") || !strings.HasSuffix(err.Error(), "\nit is broken\n") {
		t.Errorf("got %v", err)
	}
	c := role("fail")
	c.Exits = []int{3}
	if _, err := Run(t.Context(), c); err != nil {
		t.Errorf("an expected exit code is an error: %v", err)
	}
	if _, err := Run(t.Context(), Command{Argv: []string{"./there-is-none"}}); err == nil {
		t.Error("a program that does not exist was measured")
	}
}

func TestOutputIsReturned(t *testing.T) {
	out, err := Output(t.Context(), role("print"))
	if err != nil || string(out) != "hello\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestContendersTakeTurnsAndTheFirstIsNotCounted(t *testing.T) {
	var order string
	contender := func(name string) Contender {
		return Contender{Name: name, Command: role("print"), Before: func(context.Context) error { order += name; return nil }}
	}
	r, err := Contest(t.Context(), 2, contender("a"), contender("b"))
	if err != nil {
		t.Fatal(err)
	}
	if order != "ababab" || len(r.Samples[0]) != 2 || len(r.Samples[1]) != 2 {
		t.Errorf("order %q, %d and %d samples", order, len(r.Samples[0]), len(r.Samples[1]))
	}
}

func TestComparisonsAreWithinTurns(t *testing.T) {
	sample := func(wall float64) Sample { return Sample{Wall: time.Duration(wall * float64(time.Second))} }
	// The machine became ten times slower after the first turn.
	r := Result{Samples: [][]Sample{
		{sample(2), sample(20), sample(20)},
		{sample(1), sample(10), sample(10)},
	}}
	if got := r.Ratio(0, 1, Wall); got != 2 {
		t.Errorf("ratio %v, want 2", got)
	}
	if got := r.Excess(0, 1, Wall); got != 10*time.Second {
		t.Errorf("excess %v, want 10s", got)
	}
	if got := r.Median(1, Wall); got != 10 {
		t.Errorf("median %v, want 10", got)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want float64
	}{{nil, 0}, {[]float64{4}, 4}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(c.of); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.of, got, c.want)
		}
	}
}
