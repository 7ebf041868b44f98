package host

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
)

// PruneRequest asks to apply the limits of the record now. A limit of zero is
// the one of the workspace's configuration.
type PruneRequest struct {
	Where Where
	Runs  int
	Age   time.Duration
	Bytes int64
	// DryRun only says what would go.
	DryRun bool
	// Progress is told how far it is, from the goroutine of the call; it may be nil.
	Progress func(record.Pruning)
}

// The limits by which a run goes.
const (
	beyondRuns  = "runs"
	beyondAge   = "age"
	beyondBytes = "size"
)

// PruneRuns takes runs beyond the limits off the record, the oldest first, with
// everything that was kept of them. Runs that go on stay, and so does the last
// run of each language of the sessions that were used lately. Where ctx ends before
// all is done, the answer says what went, beside the error.
func (h *Host) PruneRuns(ctx context.Context, req PruneRequest) (record.Pruned, error) {
	answer := record.Pruned{Schema: record.PruneSchema, DryRun: req.DryRun, Removed: []record.PrunedRun{}}
	m, err := h.recall(ctx, req.Where)
	if err != nil {
		return answer, err
	}
	settings, err := h.settings(m.store.Workspace())
	if err != nil {
		return answer, err
	}
	limits := retention{
		Runs:  cmp.Or(max(req.Runs, 0), settings.History.Runs),
		Age:   cmp.Or(max(req.Age, 0), settings.History.Age),
		Bytes: cmp.Or(max(req.Bytes, 0), settings.History.Bytes),
	}
	answer.MaxRuns, answer.MaxAgeS, answer.MaxBytes = limits.Runs, limits.Age.Seconds(), limits.Bytes
	answer.Warnings = m.warnings()
	weighed, err := m.weigh(ctx)
	if err != nil {
		return answer, err
	}
	gone := weighed.beyond(limits, h.cfg.Now())
	answer.Kept, answer.RemovedTotal = len(weighed.runs)-len(gone), len(gone)
	for _, g := range gone {
		if len(answer.Removed) < record.MaxNames {
			answer.Removed = append(answer.Removed, record.PrunedRun{RunID: g.run.ID, StartedAt: g.run.StartedAt, Limit: g.limit})
		}
		answer.FreedBytes += g.bytes
	}
	remnants := weighed.remnantsBeyond(limits, h.cfg.Now())
	answer.Folders = len(remnants)
	for _, r := range remnants {
		answer.FreedBytes += r.Size
	}
	answer.SizeBytes = weighed.bytes
	if req.DryRun {
		answer.SizeBytes -= answer.FreedBytes
		answer.Beyond, answer.Held = weighed.held(limits, h.cfg.Now())
		return answer, nil
	}
	removed, err := m.remove(ctx, gone, func(r history.Removal) bool {
		if req.Progress != nil {
			req.Progress(record.Pruning{Runs: r.Runs, RunsTotal: len(gone), Cleared: r.Cleared})
		}
		return true
	})
	if err == nil {
		err = m.removeRemnants(ctx, remnants)
	}
	if ctx.Err() != nil {
		answer.Interrupted, ctx = true, context.WithoutCancel(ctx)
	} else if err != nil {
		return answer, err
	}
	answer.Removed = answer.Removed[:min(len(answer.Removed), removed)]
	answer.Kept, answer.RemovedTotal = len(weighed.runs)-removed, removed
	left, unweighed := m.weigh(ctx)
	answer.SizeBytes = left.bytes
	// The database itself may have grown meanwhile.
	answer.FreedBytes = folderBytes(gone[:removed]) + max(weighed.database-left.database, 0)
	answer.Folders = len(remnants) - len(left.remnantsBeyond(limits, h.cfg.Now()))
	for _, r := range remnants {
		if !m.store.Has(r.ID) {
			answer.FreedBytes += r.Size
		}
	}
	answer.Beyond, answer.Held = left.held(limits, h.cfg.Now())
	return answer, errors.Join(err, unweighed)
}

// folderBytes is what the folders of runs take.
func folderBytes(runs []weighedRun) (bytes int64) {
	for _, r := range runs {
		bytes += r.folder
	}
	return bytes
}

// weighedRun is a run and what it takes on disk; its share of the database is an
// estimate.
type weighedRun struct {
	run           history.Run
	bytes, folder int64
	// stays: whatever the limits are.
	stays bool
	// limit is the one that it is beyond.
	limit string
}

// weighedRuns are all runs, newest first, and what the record takes as a whole.
type weighedRuns struct {
	runs            []weighedRun
	remnants        []session.Remnant
	bytes, database int64
}

// emptyDatabase is about what a database without any run takes.
const emptyDatabase = 160 << 10

// weigh finds out what is on record and how much it takes.
func (m *memory) weigh(ctx context.Context) (weighedRuns, error) {
	runs, err := m.allRuns(ctx)
	if err != nil {
		return weighedRuns{}, err
	}
	database, err := m.history.Size(ctx)
	if err != nil {
		return weighedRuns{}, err
	}
	w := weighedRuns{bytes: database, database: database}
	share := max(database-emptyDatabase, 0) / int64(max(len(runs), 1))
	alive := make([]bool, len(runs))
	for i, run := range runs {
		alive[i] = m.store.Alive(run.ID)
	}
	// After that: a run that has ended meanwhile is in a slot.
	held, err := m.store.Held()
	if err != nil {
		return weighedRuns{}, err
	}
	for i, run := range runs {
		folder := m.store.RunSize(run.ID)
		w.bytes += folder
		w.runs = append(w.runs, weighedRun{
			run: run, bytes: folder + share, folder: folder, stays: alive[i] || held[run.ID],
		})
	}
	known := make(map[string]bool, len(runs))
	for _, run := range runs {
		known[run.ID] = true
	}
	w.remnants, err = m.store.Remnants(func(id string) bool { return known[id] })
	for _, r := range w.remnants {
		w.bytes += r.Size
	}
	return w, errors.Join(err, ctx.Err())
}

// remnantRest is how long a folder without a run stays: somebody may be about to make
// it one.
const remnantRest = time.Hour

// remnantsBeyond are the folders without a run that go: those that nothing can be
// read of, and those of another workspace, or of a run of which nothing else is known
// than that it could not be put on record, that are older than runs get.
func (w weighedRuns) remnantsBeyond(limits retention, now time.Time) []session.Remnant {
	var gone []session.Remnant
	for _, r := range w.remnants {
		rest := remnantRest
		if r.Foreign || r.Unwritten {
			rest = max(limits.Age, remnantRest)
		}
		if now.Sub(r.At) > rest {
			gone = append(gone, r)
		}
	}
	return gone
}

// removeRemnants removes folders without a run.
func (m *memory) removeRemnants(ctx context.Context, remnants []session.Remnant) error {
	for _, r := range remnants {
		if ctx.Err() != nil || m.store.Alive(r.ID) {
			continue
		}
		if err := m.store.RemoveRun(r.ID); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// beyond are the runs that go, the oldest first. Those that stay count.
func (w weighedRuns) beyond(limits retention, now time.Time) []weighedRun {
	runs, size := 0, int64(0)
	for _, r := range w.runs {
		if r.stays {
			runs++
			size += r.bytes
		}
	}
	var gone []weighedRun
	for _, r := range w.runs {
		if r.stays {
			continue
		}
		switch {
		case runs+1 > limits.Runs:
			r.limit = beyondRuns
		case now.Sub(r.run.StartedAt) > limits.Age:
			r.limit = beyondAge
		case size+r.bytes > limits.Bytes:
			r.limit = beyondBytes
		default:
			runs++
			size += r.bytes
			continue
		}
		gone = append(gone, r)
	}
	slices.Reverse(gone)
	return gone
}

// held are the limits that the runs that stay are beyond by themselves, and how
// many of these there are.
func (w weighedRuns) held(limits retention, now time.Time) (over []string, runs int) {
	var size int64
	old := false
	for _, r := range w.runs {
		if r.stays {
			runs++
			size += r.bytes
			old = old || now.Sub(r.run.StartedAt) > limits.Age
		}
	}
	for _, limit := range []struct {
		name string
		over bool
	}{{beyondRuns, runs > limits.Runs}, {beyondAge, old}, {beyondBytes, size > limits.Bytes}} {
		if limit.over {
			over = append(over, limit.name)
		}
	}
	if len(over) == 0 {
		runs = 0
	}
	return over, runs
}

// remove takes runs off the record: first out of the history, since a run without
// its folder could be asked for in vain, and one without its rows is found again. It
// tells how far it is, and stops where tell says so. removed are the first ones.
func (m *memory) remove(ctx context.Context, runs []weighedRun, tell func(history.Removal) bool) (removed int, err error) {
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.run.ID
	}
	var kept error
	err = m.history.Remove(ctx, ids, func(r history.Removal) bool {
		for ; removed < r.Runs && kept == nil; removed++ {
			kept = m.store.RemoveRun(ids[removed])
		}
		return kept == nil && tell(r)
	})
	return removed, errors.Join(err, kept)
}

// atOnce is how long something else waits for the removal of runs, about.
const atOnce = 500 * time.Millisecond

// takeOff takes some runs off the record. What their space takes longer to be given
// back than somebody should wait is left to the next removal.
func (m *memory) takeOff(ctx context.Context, ids ...string) error {
	began := time.Now()
	return m.history.Remove(ctx, ids, func(r history.Removal) bool {
		return r.Runs < len(ids) || time.Since(began) < atOnce
	})
}
