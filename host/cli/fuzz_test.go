package cli

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// fuzzed plays random cases, at least some, until one says what is wrong or the time is
// up. As many are played at once as there are processors: each player has what prepare
// makes, and returns what is wrong in a case.
//
// A run of the suite plays the same cases every time. PROCTOR_FUZZ=5m plays others, for that
// long; PROCTOR_FUZZ_SEED repeats a case.
func fuzzed(t *testing.T, least int, prepare func(t *testing.T) func(r *rand.Rand) string) {
	t.Helper()
	seed, players := uint64(1), min(runtime.GOMAXPROCS(0), least)
	if text := os.Getenv("PROCTOR_FUZZ_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
		least, players = 1, 1
	}
	var limit time.Duration
	if text := os.Getenv("PROCTOR_FUZZ"); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		players = runtime.GOMAXPROCS(0)
		if os.Getenv("PROCTOR_FUZZ_SEED") == "" {
			seed = uint64(time.Now().UnixNano())
		}
	}
	t.Logf("seeds from PROCTOR_FUZZ_SEED=%d on", seed)
	began := time.Now()
	var begun, played atomic.Int64
	var failed atomic.Bool
	t.Run("players", func(t *testing.T) {
		for i := range players {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				var at uint64
				defer func() {
					if t.Failed() {
						failed.Store(true)
						t.Logf("PROCTOR_FUZZ_SEED=%d", at)
					}
				}()
				play := prepare(t)
				for !failed.Load() {
					n := begun.Add(1)
					if n > int64(least) && time.Since(began) >= limit {
						break
					}
					at = seed + uint64(n-1)
					if problem := play(rand.New(rand.NewPCG(at, 15))); problem != "" {
						t.Fatalf("case %d, after %.0f s: %s", n, time.Since(began).Seconds(), problem)
					}
					played.Add(1)
				}
			})
		}
	})
	t.Logf("%d cases in %.0f s", played.Load(), time.Since(began).Seconds())
}
