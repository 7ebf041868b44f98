package historytest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// Language is the language of the runs of [Fill], unless another one is requested.
const Language = "lang"

// Scale is the size of a history.
type Scale struct {
	Tests, Runs int
	// Bad is the share of the tests that fail in nearly every run, besides the others
	// that fail now and then.
	Bad float64
	// Language is that of the runs; empty is [Language].
	Language string
	// Finished, if not nil, is called after each run with the number of results so far.
	Finished func(results int)
}

// The failure mix: some tests fail now and then, some have been broken for the
// last runs, and the others fail very rarely, unless they are among the bad ones.
const (
	flaky      = 30
	flakyRate  = 0.2
	broken     = 10
	brokenRuns = 30
	noise      = 0.0001
	badRate    = 0.95
)

// Fill records runs of all tests, four in a session. It is the same history each
// time.
func Fill(ctx context.Context, store history.Store, scale Scale) error {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range scale.Runs {
		run := FilledRun(n)
		run.Language = cmp.Or(scale.Language, Language)
		recorder, err := store.Begin(ctx, run)
		if err != nil {
			return err
		}
		for i := range scale.Tests {
			recorder.Add(filledResult(random, i, n, scale))
		}
		run.State, run.Verdict, run.Duration = api.StateFinished, api.Failed, time.Minute
		if err := recorder.Finish(ctx, run); err != nil {
			return err
		}
		if scale.Finished != nil {
			scale.Finished((n + 1) * scale.Tests)
		}
	}
	return nil
}

// FilledRun returns run n of Fill as it begins.
func FilledRun(n int) history.Run {
	return history.Run{
		ID: fmt.Sprintf("run%08d", n), SessionID: fmt.Sprintf("session%06d", n/4), Kind: api.KindRun, Language: Language,
		Plugin: "plugin", PluginVersion: "1.0.0", State: api.StateRunning, Whole: true, Environment: "environment",
		StartedAt:   time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 10 * time.Minute),
		Fingerprint: fmt.Sprintf("%040x", n/2), Commit: fmt.Sprintf("%040x", n/10), Branch: "main",
	}
}

// FilledTest identifies test i of Fill. The flaky ones come first, then
// the broken ones, then the bad ones.
func FilledTest(i int) sdk.TestID {
	return sdk.TestID{Suite: fmt.Sprintf("example.com/project/package%03d", i%200), Test: fmt.Sprintf("TestTheBehaviorNumber%06d", i)}
}

func filledResult(random *rand.Rand, i, n int, scale Scale) history.Result {
	r := history.Result{
		TestID: FilledTest(i), File: fmt.Sprintf("package%03d/behavior_%d_test.go", i%200, i%7), Line: 10 + i%500,
		Duration: time.Duration(random.ExpFloat64() * float64(20*time.Millisecond)),
	}
	var fails bool
	switch {
	case i < flaky:
		fails = random.Float64() < flakyRate
	case i < flaky+broken:
		fails = n >= scale.Runs-brokenRuns
	case float64(i) < scale.Bad*float64(scale.Tests):
		fails = random.Float64() < badRate
	default:
		fails = random.Float64() < noise
	}
	if fails {
		r.Outcome, r.Kind = history.Failed, "assertion"
		r.Signature = fmt.Sprintf("%016x", i)
		r.Excerpt = fmt.Sprintf("got %d, want %d", i, i+1)
	}
	return r
}
