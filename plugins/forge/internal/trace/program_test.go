package trace

import (
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// Before a call the compiler checks that there is code to call. That check fails with
// the span of the whole call, and without data.
func TestOnlyWhatFollowsACallPassesItsFailureOn(t *testing.T) {
	whole := artifact.Span{Start: 10, Length: 5}
	p := &program{spans: []artifact.Span{0: whole, 1: {}, 2: whole, 3: {}, 4: whole}}
	const call = 2
	for _, revert := range []struct {
		name              string
		instruction, step int
		want              bool
	}{
		{"behind the call", 4, 102, true},
		{"before the call, the next time round", 0, 120, false},
		{"behind the call after a detour", 4, 120, false},
	} {
		now := moment{step: revert.step, instruction: revert.instruction}
		if got, copies := p.passesOn(t.Context(), now, moment{step: 100, instruction: call}); got != revert.want || copies {
			t.Errorf("a revert %s: %v, %v", revert.name, got, copies)
		}
	}
}
