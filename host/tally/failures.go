package tally

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/sdk"
)

// maxSigned is how many failures of a run are counted by cause: computing a signature
// takes some microseconds.
const maxSigned = 20_000

// failures counts the failures of a run, and keeps the first ones.
type failures struct {
	Failures      []api.Failure
	FailuresTotal int
	Causes        map[string]int // by signature, of the first maxSigned failures
	TimedOut      bool
	// buildFailures, interruptions and otherFailures are the failures by kind, heard all
	// that came as events.
	buildFailures, interruptions, otherFailures, heard int
	signalled                                          map[string]bool // suites of which a test, or they themselves, were ended by a signal
}

func newFailures() failures {
	return failures{Causes: map[string]int{}, signalled: map[string]bool{}}
}

func (all *failures) addFailure(f *api.Failure) {
	all.heard++
	if all.FailuresTotal++; all.FailuresTotal <= maxSigned {
		all.Causes[classify.Signature(*f)]++
	}
	all.keep(*f)
	switch f.Kind {
	case sdk.KindBuild, sdk.KindVet, sdk.KindSetup:
		all.buildFailures++
	case sdk.KindTimeout:
		all.TimedOut = true
		all.interruptions++
	case sdk.KindSignal:
		all.interruptions++
		all.signalled[f.Suite] = true
	default:
		all.otherFailures++
	}
}

// keep keeps the first failures. If there is no more room, a failure that is not an
// assertion, and so may affect other tests, replaces the last assertion.
func (all *failures) keep(f api.Failure) {
	if len(all.Failures) < api.MaxFailures {
		all.Failures = append(all.Failures, f)
		return
	}
	if f.Kind == sdk.KindAssertion {
		return
	}
	for i, kept := range slices.Backward(all.Failures) {
		if kept.Kind == sdk.KindAssertion {
			all.Failures[i] = f
			return
		}
	}
}

// Unlisted returns how many failures were counted but not kept.
func (all *failures) Unlisted() int { return all.FailuresTotal - len(all.Failures) }
