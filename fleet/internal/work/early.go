package work

import (
	"sync"

	"go.temporal.io/sdk/worker"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/sdk"
)

// early gives back the slots of batches whose tests have ended, so that the next ones are
// on their way while the results are stored. A batch that comes before the checkout is free
// waits for it.
type early struct {
	worker.SlotSupplier
	// most is how many batches may be ending at a time.
	most int

	mu     sync.Mutex
	ending int
}

// giver returns a function that gives back the slot of one batch, at most once.
func (e *early) giver() func() {
	var once sync.Once
	return func() { once.Do(e.give) }
}

func (e *early) give() {
	e.mu.Lock()
	given := e.ending < e.most
	if given {
		e.ending++
	}
	e.mu.Unlock()
	if given {
		e.SlotSupplier.ReleaseSlot(nil) // a fixed number of slots needs no details
	}
}

// ReleaseSlot gives back a slot unless one was given back early: which of them it was makes
// no difference.
func (e *early) ReleaseSlot(info worker.SlotReleaseInfo) {
	e.mu.Lock()
	given := e.ending > 0
	if given {
		e.ending--
	}
	e.mu.Unlock()
	if !given {
		e.SlotSupplier.ReleaseSlot(info)
	}
}

// finishing calls a function when the last suite of a part has ended and nothing failed:
// failed tests may run again, for as long as they take.
type finishing struct {
	left map[string]bool
	then func()
}

func newFinishing(d engine.Division, index int, then func()) *finishing {
	f := &finishing{left: map[string]bool{}, then: then}
	for _, piece := range d.Parts[index-1] {
		f.left[piece.Suite] = true
	}
	return f
}

// Listen takes an event of the run.
func (f *finishing) Listen(e api.Event) {
	ended, ok := e.(*api.SuiteEnded)
	if !ok || !f.left[ended.Suite] || ended.Outcome != sdk.SuitePassed && ended.Outcome != sdk.SuiteNoTests {
		return
	}
	if delete(f.left, ended.Suite); len(f.left) == 0 {
		f.then()
	}
}
