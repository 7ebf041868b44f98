package work

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"
)

// pause keeps a worker whose batches fail from asking for more. Such a worker, being the one
// that is always free, would otherwise take every batch that is tried again until it is
// given up, while the others are at work.
type pause struct {
	mu sync.Mutex
	// failed is how many batches in a row could not be run here.
	failed int
	until  time.Time
}

// extend notes that a batch could not be run.
func (p *pause) extend(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed++
	p.until = now.Add(pauseAfter(p.failed))
}

// end notes that a batch ran, or that what failed was not the worker's fault.
func (p *pause) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed, p.until = 0, time.Time{}
}

// left returns how much of the pause is left.
func (p *pause) left(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until.Sub(now)
}

// pauseAfter returns how long a worker pauses that could not run so many batches in a
// row: not at all after the first, then twice as long each time.
func pauseAfter(failed int) time.Duration {
	if failed < 2 {
		return 0
	}
	return min(firstPause<<min(failed-2, 10), longestPause)
}

const (
	firstPause   = 250 * time.Millisecond
	longestPause = 30 * time.Second
)

// pausing hands out slots, but none during a pause. Who got one before may still be given a
// batch: with several slots, some ask for batches while the one that fails is running.
type pausing struct {
	worker.SlotSupplier
	pause *pause
}

// ReserveSlot waits for a slot and then, keeping it, for the end of the pause or of the worker.
// Temporal asks for the next slot while a batch runs, so the pause that this batch causes
// begins only while it waits.
func (s pausing) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	permit, err := s.SlotSupplier.ReserveSlot(ctx, info)
	if err != nil {
		return nil, err
	}
	for left := s.pause.left(time.Now()); left > 0; left = s.pause.left(time.Now()) {
		select {
		case <-time.After(left):
		case <-ctx.Done():
			// Its details are of types that only the SDK can name; a fixed number of slots
			// needs none.
			s.SlotSupplier.ReleaseSlot(nil)
			return nil, ctx.Err()
		}
	}
	return permit, nil
}

func (s pausing) TryReserveSlot(info worker.SlotReservationInfo) *worker.SlotPermit {
	if s.pause.left(time.Now()) > 0 {
		return nil
	}
	return s.SlotSupplier.TryReserveSlot(info)
}

// tuner gives a worker as many slots as it has checkouts.
type tuner struct {
	worker.WorkerTuner
	activities worker.SlotSupplier
}

func (t tuner) GetActivityTaskSlotSupplier() worker.SlotSupplier { return t.activities }

func newTuner(slots int, p *pause) (worker.WorkerTuner, *early, error) {
	fixed, err := worker.NewFixedSizeTuner(worker.FixedSizeTunerOptions{NumActivitySlots: slots})
	if err != nil {
		return nil, nil, err
	}
	e := &early{SlotSupplier: fixed.GetActivityTaskSlotSupplier(), most: slots}
	return tuner{WorkerTuner: fixed, activities: pausing{SlotSupplier: e, pause: p}}, e, nil
}
