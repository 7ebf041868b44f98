package host

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// wholeRuns is how many runs of everything are looked through for those that got
// to every test.
const wholeRuns = 50

// complete are our own runs that got to every test there is, the oldest first.
type complete []classify.CompleteRun

// completeRuns finds the newest of them.
func (m *memory) completeRuns(ctx context.Context, language string, before int64) (complete, error) {
	runs, err := m.history.Runs(ctx, history.RunFilter{
		Language: language, Whole: true, State: record.StateFinished, Before: before, Limit: wholeRuns,
	})
	var found complete
	for _, r := range slices.Backward(runs) {
		if r.Complete() && !r.Foreign() {
			found = append(found, classify.CompleteRun{Order: r.Order, SessionID: r.SessionID, Setting: r.Setting()})
		}
	}
	return found, err
}

// lack tells whether a test does not exist any more: our own run that saw it last
// is older than one of everything with the same arguments, settings and tools.
// Others may leave it out.
func (c complete) lack(points []history.Point) bool {
	for _, p := range slices.Backward(points) {
		if p.RunKind != record.KindTriage && !p.Foreign() {
			return slices.ContainsFunc(c, func(r classify.CompleteRun) bool { return p.Order < r.Order && r.Setting == p.Setting() })
		}
	}
	return false
}
