package property

import (
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Check checks a property on random cases, which are the same in every run of the suite: a
// change must not be blamed for a case that it happened to meet. With PROCTOR_FUZZ=5m it draws
// new ones for that long.
func Check(t *testing.T, holds func(*rapid.T)) {
	t.Helper()
	limit, err := time.ParseDuration(os.Getenv("PROCTOR_FUZZ"))
	if err != nil {
		fixSeed()
		rapid.Check(t, holds)
		return
	}
	for began := time.Now(); time.Since(began) < limit && !t.Failed(); {
		rapid.Check(t, holds)
	}
}

// fixSeed makes rapid draw the same cases each time, unless -rapid.seed is given.
var fixSeed = sync.OnceFunc(func() {
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("1"); err != nil {
			panic(err)
		}
	}
})
