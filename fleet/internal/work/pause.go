package work

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"
)

// pause keeps a machine on which batches fail from asking for more. Such a machine, being
// the one that is always free, would otherwise take every batch that is tried again until
// it is given up, while the others are at work.
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

// end notes that a batch ran, or that what failed was not the machine's fault.
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

// pauseAfter returns how long a machine pauses on which so many batches in a row could not
// be run: not at all after the first, then twice as long each time.
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

// pausing hands out slots, but none during a pause.
type pausing struct {
	worker.SlotSupplier
	pause *pause
}

// ReserveSlot waits for the end of the pause, or of the worker, before it asks for a slot.
func (s pausing) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	for left := s.pause.left(time.Now()); left > 0; left = s.pause.left(time.Now()) {
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.SlotSupplier.ReserveSlot(ctx, info)
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

func newTuner(slots int, p *pause) (worker.WorkerTuner, error) {
	fixed, err := worker.NewFixedSizeTuner(worker.FixedSizeTunerOptions{NumActivitySlots: slots})
	if err != nil {
		return nil, err
	}
	return tuner{WorkerTuner: fixed, activities: pausing{SlotSupplier: fixed.GetActivityTaskSlotSupplier(), pause: p}}, nil
}
