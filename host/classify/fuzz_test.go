package classify_test

import (
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// fuzz generates cases: some by default, or for as long as PROCTOR_FUZZ says.
// PROCTOR_FUZZ_SEED repeats one.
type fuzz struct {
	*testing.T
	seed, at uint64
	until    time.Time
}

func fuzzing(t *testing.T) *fuzz {
	t.Helper()
	f := &fuzz{T: t, seed: uint64(time.Now().UnixNano())}
	if text := os.Getenv("PROCTOR_FUZZ_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		f.seed = seed
	}
	if text := os.Getenv("PROCTOR_FUZZ"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		f.until = time.Now().Add(d)
	}
	return f
}

// cases yields the generators of this many cases, or more.
func (f *fuzz) cases(most int) iter.Seq[*rand.Rand] {
	return func(yield func(*rand.Rand) bool) {
		n := 0
		for f.at = f.seed; n < most || time.Now().Before(f.until); f.at++ {
			n++
			if !yield(rand.New(rand.NewPCG(f.at, 0))) {
				break
			}
		}
		f.Logf("%d cases from seed %d", n, f.seed)
	}
}

func (f *fuzz) Fatalf(format string, args ...any) {
	f.Helper()
	f.T.Fatalf("PROCTOR_FUZZ_SEED=%d: "+format, append([]any{f.at}, args...)...)
}
