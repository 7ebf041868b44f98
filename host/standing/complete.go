package standing

import (
	"context"
	"math"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// WholeRuns is how many runs of everything are searched for those that got to every
// test.
const WholeRuns = 50

// CompleteSet are our own runs that got to every existing test, oldest first.
type CompleteSet []classify.CompleteRun

// CompleteRuns returns the newest runs that got to every existing test.
func CompleteRuns(ctx context.Context, led *ledger.Ledger, language string, before int64) (CompleteSet, error) {
	runs, err := led.History.Runs(ctx, history.RunFilter{
		Language: language, Whole: true, State: api.StateFinished, Before: before, Limit: WholeRuns,
	})
	var found CompleteSet
	for _, r := range slices.Backward(runs) {
		if r.Complete() && !r.Foreign() {
			found = append(found, classify.CompleteRun{Order: r.Order, SessionID: r.SessionID, Setting: r.Setting()})
		}
	}
	return found, err
}

// Lack reports whether a test no longer exists: our own run that last saw it is older
// than a run of everything with the same arguments, settings and tools. Other settings
// may leave it out.
func (c CompleteSet) Lack(points []history.Point) bool {
	for _, p := range slices.Backward(points) {
		if p.RunKind != api.KindTriage && !p.Foreign() {
			return slices.ContainsFunc(c, func(r classify.CompleteRun) bool { return p.Order < r.Order && r.Setting == p.Setting() })
		}
	}
	return false
}

// endedBy returns the orders of the complete runs that show that one of these tests no
// longer existed, because they lack it. Of several such runs before the test reappears,
// it returns the first.
func endedBy(whole CompleteSet, timelines []history.Timeline) []int64 {
	var orders []int64
	for _, t := range timelines {
		for i, p := range t.Points {
			if p.RunKind == api.KindTriage {
				continue
			}
			next := int64(math.MaxInt64)
			for _, q := range t.Points[i+1:] {
				if q.RunKind != api.KindTriage && q.Order > p.Order {
					next = q.Order
					break
				}
			}
			first := slices.IndexFunc(whole, func(r classify.CompleteRun) bool {
				return r.Order > p.Order && r.Order < next && r.Setting == p.Setting()
			})
			if first >= 0 && !slices.Contains(orders, whole[first].Order) {
				orders = append(orders, whole[first].Order)
			}
		}
	}
	return orders
}
