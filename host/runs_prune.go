package host

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
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
}

// The limits by which a run goes.
const (
	beyondRuns  = "runs"
	beyondAge   = "age"
	beyondBytes = "size"
)

// PruneRuns takes runs beyond the limits off the record, the oldest first, with
// everything that was kept of them. Runs that go on stay, and so does the last
// run of each language of the sessions that were used lately.
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
	var folders int64
	for _, g := range gone {
		if len(answer.Removed) < record.MaxNames {
			answer.Removed = append(answer.Removed, record.PrunedRun{RunID: g.run.ID, StartedAt: g.run.StartedAt, Limit: g.limit})
		}
		answer.FreedBytes += g.bytes
		folders += g.folder
	}
	answer.SizeBytes = weighed.bytes
	if req.DryRun || len(gone) == 0 {
		answer.SizeBytes -= answer.FreedBytes
		answer.Beyond, answer.Held = weighed.held(limits, h.cfg.Now())
		return answer, nil
	}
	if err := m.remove(ctx, gone); err != nil {
		return answer, err
	}
	left, err := m.weigh(ctx)
	answer.SizeBytes = left.bytes
	// The database itself may have grown meanwhile.
	answer.FreedBytes = folders + max(weighed.database-left.database, 0)
	answer.Beyond, answer.Held = left.held(limits, h.cfg.Now())
	return answer, err
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
	return w, ctx.Err()
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
// its folder could be asked for in vain, and one without its rows is found again.
func (m *memory) remove(ctx context.Context, runs []weighedRun) error {
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.run.ID
	}
	if err := m.history.Remove(ctx, ids); err != nil {
		return err
	}
	for _, id := range ids {
		if err := m.store.RemoveRun(id); err != nil {
			return err
		}
	}
	return nil
}
