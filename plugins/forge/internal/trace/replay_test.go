package trace

import (
	"testing"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// A return to an unexpected place shows that the compiler's marks were misread, so the
// open calls are unknown.
func TestAFunctionReturnsToWhereItWasCalledFrom(t *testing.T) {
	const jump, target = opJump, 0x5b
	code := []byte{jump, target, target, jump, target}
	spans := make([]artifact.Span, len(code))
	spans[0].Jump, spans[3].Jump = 'i', 'o'
	for _, back := range []struct {
		to    int
		wrong bool
	}{{1, false}, {2, true}, {4, true}} {
		r := newReplay(newProgram(nil, nil, code, spans), &arena{run: &run{}})
		for _, pc := range []int{0, 2, 3, back.to} {
			r.step(step{pc: pc, op: int(code[pc])})
		}
		if r.wrong != back.wrong {
			t.Errorf("back to %d: wrong is %v", back.to, r.wrong)
		}
	}
}

func TestGasThatIsPassedOnIsNotMeasured(t *testing.T) {
	for _, next := range []struct {
		op   byte
		want bool
	}{{opCall, false}, {opDelegateCall, false}, {opStaticCall, false}, {opCallCode, false}, {opCreate, true}, {0x90, true}} {
		code := []byte{opGas, next.op}
		p := newProgram(nil, nil, code, make([]artifact.Span, len(code)))
		a := &arena{run: &run{}}
		r := newReplay(p, a)
		for pc, op := range code {
			r.step(step{pc: pc, op: int(op)})
		}
		if a.run.measured != next.want || p.measuresGas() != next.want {
			t.Errorf("gas before %#x: measured %v, measures %v", next.op, a.run.measured, p.measuresGas())
		}
	}
}
