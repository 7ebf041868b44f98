package ledger

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// pruneEvery is how often old records are looked for: examining all of them can take
// longer than a small run.
const pruneEvery = time.Hour

// score is how many of the newest runs are exempt from the age limit.
const score = 20

// Prune removes what exceeds the limits, if it is time to look for that.
func (l *Ledger) Prune(ctx context.Context, limits config.History) error {
	if l.renewed {
		retellKept(ctx, l) // the run that has just ended began in another history
	}
	now := l.Keeper.Cfg.Now()
	if !artifacts.IsPruneDue(l.Artifacts, now, pruneEvery, limits.Runs) {
		return nil
	}
	artifacts.ForgetSessions(l.Artifacts, now)
	weighed, err := weighRuns(ctx, l)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody has removed them all
	}
	if err != nil {
		return err
	}
	if err := removeSome(ctx, l, weighed.beyond(limits, weighed.today(now))); err != nil {
		return err
	}
	if err := removeRemnants(ctx, l, weighed.remnantsBeyond(limits, now)); err != nil {
		return err
	}
	return l.History.DropAnswers(ctx, TriageKeys, now.Add(-MaxAnswerAge))
}

// removeSome removes as many runs as there is time for at the end of a run. The next run
// continues.
func removeSome(ctx context.Context, l *Ledger, runs []weighedRun) error {
	began, whole := time.Now(), false
	_, err := removeRuns(ctx, l, runs, func(r history.Removal) bool {
		whole = r.Cleared == 1
		return whole || time.Since(began) < atOnce
	})
	if !whole {
		artifacts.PruneSoon(l.Artifacts)
	}
	return err
}

// today returns the time from which the age of runs is counted: now, but no later than
// the twentieth-newest run. So neither one run with a clock years ahead nor the first run
// after a long pause wipes the record.
func (w weighedRuns) today(now time.Time) time.Time {
	if len(w.runs) == 0 {
		return now
	}
	latest := w.runs[min(score, len(w.runs))-1].run.StartedAt
	if latest.Before(now) {
		return latest
	}
	return now
}

// MaxAnswerAge is how long a stored triage answer may be reused: ignored files, such as
// installed dependencies, change without a trace.
const MaxAnswerAge = 24 * time.Hour

// TriageKeys begins the keys of stored triage answers. Those older than [MaxAnswerAge]
// are dropped when the record is pruned.
const TriageKeys = "triage/"

// The limits that remove a run.
const (
	beyondRuns  = "runs"
	beyondAge   = "age"
	beyondBytes = "size"
)

// PruneRuns removes runs that exceed the limits, oldest first, with everything kept of
// them. Runs in progress stay, and so does the last run of each language in recently used
// sessions. If ctx ends early, the answer says what was removed, along with the error.
func PruneRuns(ctx context.Context, k *Keeper, req api.PruneRequest) (api.Pruned, error) {
	answer := api.Pruned{Schema: api.PruneSchema, DryRun: req.DryRun, Removed: []api.PrunedRun{}}
	l, err := OpenAt(ctx, k, req.Where)
	if err != nil {
		return answer, err
	}
	settings, err := k.Settings(l.Artifacts.Workspace())
	if err != nil {
		return answer, err
	}
	limits := config.History{
		Runs:  cmp.Or(max(req.Runs, 0), settings.History.Runs),
		Age:   cmp.Or(max(req.Age, 0), settings.History.Age),
		Bytes: cmp.Or(max(req.Bytes, 0), settings.History.Bytes),
	}
	answer.MaxRuns, answer.MaxAgeS, answer.MaxBytes = limits.Runs, limits.Age.Seconds(), limits.Bytes
	answer.Warnings = l.Warnings()
	weighed, err := weighRuns(ctx, l)
	if err != nil {
		return answer, err
	}
	gone := weighed.beyond(limits, k.Cfg.Now())
	answer.Kept, answer.RemovedTotal = len(weighed.runs)-len(gone), len(gone)
	for _, g := range gone {
		if len(answer.Removed) < api.MaxNames {
			answer.Removed = append(answer.Removed, api.PrunedRun{RunID: g.run.ID, StartedAt: g.run.StartedAt, Limit: g.limit})
		}
		answer.FreedBytes += g.bytes
	}
	remnants := weighed.remnantsBeyond(limits, k.Cfg.Now())
	answer.Folders = len(remnants)
	for _, r := range remnants {
		answer.FreedBytes += r.Size
	}
	answer.SizeBytes = weighed.bytes
	if req.DryRun {
		answer.SizeBytes -= answer.FreedBytes
		answer.Beyond, answer.Held = weighed.held(limits, k.Cfg.Now())
		return answer, nil
	}
	removed, err := removeRuns(ctx, l, gone, func(r history.Removal) bool {
		if req.Progress != nil {
			req.Progress(api.Pruning{Runs: r.Runs, RunsTotal: len(gone), Cleared: r.Cleared})
		}
		return true
	})
	if err == nil {
		err = removeRemnants(ctx, l, remnants)
	}
	if ctx.Err() != nil {
		answer.Interrupted, ctx = true, context.WithoutCancel(ctx)
	} else if err != nil {
		return answer, err
	}
	answer.Removed = answer.Removed[:min(len(answer.Removed), removed)]
	answer.Kept, answer.RemovedTotal = len(weighed.runs)-removed, removed
	left, unweighed := weighRuns(ctx, l)
	answer.SizeBytes = left.bytes
	// The database may have grown meanwhile.
	answer.FreedBytes = folderBytes(gone[:removed]) + max(weighed.database-left.database, 0)
	answer.Folders = len(remnants) - len(left.remnantsBeyond(limits, k.Cfg.Now()))
	for _, r := range remnants {
		if !l.Artifacts.Has(r.ID) {
			answer.FreedBytes += r.Size
		}
	}
	answer.Beyond, answer.Held = left.held(limits, k.Cfg.Now())
	return answer, errors.Join(err, unweighed)
}

// folderBytes returns the size of runs' folders.
func folderBytes(runs []weighedRun) (bytes int64) {
	for _, r := range runs {
		bytes += r.folder
	}
	return bytes
}

// weighedRun is a run and its size on disk; its share of the database is an estimate.
type weighedRun struct {
	run           history.Run
	bytes, folder int64
	// stays means that no limit removes it.
	stays bool
	// limit is the name of the limit that it exceeds.
	limit string
}

// weighedRuns are all runs, newest first, and the total size of the record.
type weighedRuns struct {
	runs            []weighedRun
	remnants        []artifacts.Remnant
	bytes, database int64
}

// emptyDatabase is roughly the size of a database without runs.
const emptyDatabase = 160 << 10

// weighRuns determines what is on record and its size.
func weighRuns(ctx context.Context, l *Ledger) (weighedRuns, error) {
	runs, err := l.AllRuns(ctx)
	if err != nil {
		return weighedRuns{}, err
	}
	database, err := l.History.Size(ctx)
	if err != nil {
		return weighedRuns{}, err
	}
	w := weighedRuns{bytes: database, database: database}
	share := max(database-emptyDatabase, 0) / int64(max(len(runs), 1))
	alive := make([]bool, len(runs))
	for i, run := range runs {
		alive[i] = l.Artifacts.Alive(run.ID)
	}
	// Only now: a run that has ended since then is in a slot.
	held, err := artifacts.HeldRuns(l.Artifacts)
	if err != nil {
		return weighedRuns{}, err
	}
	for i, run := range runs {
		folder := artifacts.RunSize(l.Artifacts, run.ID)
		w.bytes += folder
		w.runs = append(w.runs, weighedRun{
			run: run, bytes: folder + share, folder: folder, stays: alive[i] || held[run.ID],
		})
	}
	known := make(map[string]bool, len(runs))
	for _, run := range runs {
		known[run.ID] = true
	}
	w.remnants, err = artifacts.FindRemnants(l.Artifacts, func(id string) bool { return known[id] })
	for _, r := range w.remnants {
		w.bytes += r.Size
	}
	return w, errors.Join(err, ctx.Err())
}

// remnantRest is how long a folder without a run stays: another process may be about to
// record its run.
const remnantRest = time.Hour

// remnantsBeyond returns the folders without a run that are to be removed. Those of
// another workspace, or of a run that could not be recorded, stay as long as runs do.
func (w weighedRuns) remnantsBeyond(limits config.History, now time.Time) []artifacts.Remnant {
	var gone []artifacts.Remnant
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
func removeRemnants(ctx context.Context, l *Ledger, remnants []artifacts.Remnant) error {
	for _, r := range remnants {
		if ctx.Err() != nil || l.Artifacts.Alive(r.ID) {
			continue
		}
		if err := artifacts.RemoveRun(l.Artifacts, r.ID); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// beyond returns the runs to remove, oldest first. Runs that stay anyhow count towards
// the limits.
func (w weighedRuns) beyond(limits config.History, now time.Time) []weighedRun {
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

// held returns the limits that the runs that stay anyhow exceed by themselves, and how
// many such runs there are.
func (w weighedRuns) held(limits config.History, now time.Time) (over []string, runs int) {
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

// removeRuns removes runs: first from the history, since a run without its folder could
// be asked for in vain, while a folder without its rows is found again. It reports
// progress to tell, and stops if that returns false. The first removed ones are gone.
func removeRuns(ctx context.Context, l *Ledger, runs []weighedRun, tell func(history.Removal) bool) (removed int, err error) {
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.run.ID
	}
	var kept error
	err = l.History.Remove(ctx, ids, func(r history.Removal) bool {
		for ; removed < r.Runs && kept == nil; removed++ {
			kept = artifacts.RemoveRun(l.Artifacts, ids[removed])
		}
		return kept == nil && tell(r)
	})
	return removed, errors.Join(err, kept)
}

// atOnce is roughly how long other work waits for the removal of runs.
const atOnce = 500 * time.Millisecond

// RemoveRuns removes runs from the history. Space that takes too long to free is left to
// the next removal.
func (l *Ledger) RemoveRuns(ctx context.Context, ids ...string) error {
	began := time.Now()
	return l.History.Remove(ctx, ids, func(r history.Removal) bool {
		return r.Runs < len(ids) || time.Since(began) < atOnce
	})
}

// ExportMode is the mode of exported files, as of the other records: anyone who can read
// the project may read what its tests did.
const ExportMode = 0o644

// WriteNewFile writes a file atomically, and returns its size. Without force it replaces
// nothing.
func WriteNewFile(path string, force bool, write func(io.Writer) error) (size int64, err error) {
	if force {
		if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
			return 0, &api.UsageError{Reason: path + " is not a regular file", Fix: "give another name"}
		}
	} else {
		// The name is taken now; what is written replaces only this.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, ExportMode)
		if errors.Is(err, fs.ErrExist) {
			return 0, &api.UsageError{Reason: path + " is there already", Advice: api.Advice{Operation: api.AdviseReplace}}
		}
		if err != nil {
			return 0, err
		}
		f.Close()
		defer func() {
			if err != nil {
				os.Remove(path)
			}
		}()
	}
	return atomicfile.Write(path, ExportMode, write)
}

// RefuseWithin returns an error for a path inside the records, which writing to it could
// damage.
func RefuseWithin(l *Ledger, path string) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	own, err := os.Stat(l.Artifacts.Dir())
	if err != nil {
		return err
	}
	for {
		if at, err := os.Stat(dir); err == nil && os.SameFile(at, own) {
			return &api.UsageError{Reason: path + " lies in " + l.Artifacts.Dir() + ", where proctor keeps its records", Fix: "give a name elsewhere"}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}
