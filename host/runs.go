package host

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// RunsRequest asks which runs are on record.
type RunsRequest struct {
	Where Where
	// Session narrows to one session; ThisSession is that of the Host, empty all.
	Session string
	// Language narrows; empty is any.
	Language string
	// Limit is clamped; 0 is the default.
	Limit int
}

// ThisSession stands for the session of the Host.
const ThisSession = "this"

// The limits of a list of runs.
const (
	DefaultRunsLimit = 20
	MaxRunsLimit     = 500
)

// Runs lists the runs on record, newest first: also those that go on and those
// that were killed. It starts no plugin.
func (h *Host) Runs(ctx context.Context, req RunsRequest) (record.Runs, error) {
	answer := record.Runs{Schema: record.RunsSchema, Runs: []record.RunLine{}}
	m, err := h.recall(ctx, req.Where)
	if err != nil {
		return answer, err
	}
	answer.Warnings = m.warnings()
	all, err := m.allRuns(ctx)
	if err != nil {
		return answer, err
	}
	prefixes := prefixesOf(all)
	if req.Session == ThisSession {
		req.Session = m.store.SessionID()
	}
	limit := DefaultRunsLimit
	if req.Limit != 0 {
		limit = min(max(req.Limit, 1), MaxRunsLimit)
	}
	for _, run := range all {
		if req.Session != "" && run.SessionID != req.Session || req.Language != "" && run.Language != req.Language {
			continue
		}
		if answer.Total++; len(answer.Runs) < limit {
			answer.Runs = append(answer.Runs, m.runLine(run, prefixes[run.ID]))
		}
	}
	return answer, ctx.Err()
}

// warnings are what to know beside an answer from the record.
func (m *memory) warnings() []string {
	if m.notice == nil {
		return nil
	}
	return []string{m.notice.Error()}
}

// allRuns are the runs of the history and those that only have a folder, because
// the history could not be written then or is a newer one: newest first.
func (m *memory) allRuns(ctx context.Context) ([]history.Run, error) {
	runs, err := m.history.Runs(ctx, history.RunFilter{})
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(runs))
	for _, run := range runs {
		known[run.ID] = true
	}
	ids, err := m.store.RunIDs()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if known[id] {
			continue
		}
		// What cannot be read must not hide the others.
		if run, err := m.store.Object(id); err == nil {
			runs = append(runs, historyRun(run))
		}
	}
	return newestFirst(runs), ctx.Err()
}

// newestFirst orders runs. Our own are in the order in which they were made, whatever
// the clock said; those of elsewhere, and those that only have a folder, are
// where their time puts them.
func newestFirst(runs []history.Run) []history.Run {
	own, others := make([]history.Run, 0, len(runs)), []history.Run{}
	for _, run := range runs {
		if run.Origin == "" && run.Order > 0 {
			own = append(own, run)
		} else {
			others = append(others, run)
		}
	}
	slices.SortStableFunc(own, func(a, b history.Run) int { return cmp.Compare(b.Order, a.Order) })
	slices.SortStableFunc(others, func(a, b history.Run) int { return b.StartedAt.Compare(a.StartedAt) })
	ordered := make([]history.Run, 0, len(runs))
	for _, run := range own {
		for len(others) > 0 && others[0].StartedAt.After(run.StartedAt) {
			ordered, others = append(ordered, others[0]), others[1:]
		}
		ordered = append(ordered, run)
	}
	return append(ordered, others...)
}

// runLine is a run as a list has it.
func (m *memory) runLine(run history.Run, prefix string) record.RunLine {
	line := record.RunLine{
		RunID: run.ID, Prefix: prefix, SessionID: run.SessionID, Kind: run.Kind, State: run.State, Language: run.Language,
		Verdict: run.Verdict, Reason: run.Reason, StartedAt: run.StartedAt, DurationS: run.Duration.Seconds(),
		AgeS: m.host.since(run).Seconds(), Counts: run.Counts, Outstanding: run.Outstanding, Whole: run.Whole,
		MixedState: run.MixedState, Origin: run.Origin,
	}
	object, err := m.store.Object(run.ID)
	line.Source = sourceIn(run, object, err)
	line.Partial = isPartial(run, object, err)
	if run.State == record.StateRunning {
		line.DurationS = line.AgeS
		if !m.store.Alive(run.ID) {
			line.NoEnd, line.State, line.Verdict = true, record.StateFinished, record.Incomplete
			line.DurationS = 0 // nobody knows when it ended
		}
	}
	if line.Verdict == record.Incomplete && line.DurationS == 0 && m.store.IsUnwritten(run.ID) {
		line.NoEnd, line.Unwritten = false, true
	}
	return line
}

// sourceOfRun is what is known of the state that a run saw.
func (m *memory) sourceOfRun(run history.Run) *record.Source {
	object, err := m.store.Object(run.ID)
	return sourceIn(run, object, err)
}

// sourceIn is what a run's object knows of that state, or else its row; err is
// why there is no object.
func sourceIn(run history.Run, object record.Run, err error) *record.Source {
	if run.Fingerprint == "" {
		return nil
	}
	if err == nil && object.Source != nil && object.Source.Fingerprint == run.Fingerprint {
		return object.Source
	}
	return &record.Source{Fingerprint: run.Fingerprint, Commit: run.Commit, Branch: run.Branch, Dirty: -1}
}

// isPartial tells whether a run was asked for some tests only. Without its object
// that is so where it came to an end and yet was not one of everything.
func isPartial(run history.Run, object record.Run, err error) bool {
	if run.Kind != record.KindRun || run.Whole {
		return false
	}
	if err != nil {
		return run.Verdict == record.Passed || run.Verdict == record.Failed
	}
	s := object.Selection
	return s.Narrows() || len(s.RunnerArgs) > 0
}

// since is how long ago a run ended, or began.
func (h *Host) since(run history.Run) time.Duration {
	return max(h.cfg.Now().Sub(run.StartedAt.Add(run.Duration)), 0)
}

// minPrefix is the shortest beginning of a run id that a list offers: a shorter
// one is soon another run's too.
const minPrefix = 4

// prefixesOf are the shortest beginnings that tell the runs apart.
func prefixesOf(runs []history.Run) map[string]string {
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = run.ID
	}
	slices.Sort(ids)
	prefixes := make(map[string]string, len(ids))
	for i, id := range ids {
		need := minPrefix
		for _, n := range []int{i - 1, i + 1} {
			if n >= 0 && n < len(ids) && ids[n] != id {
				need = max(need, common(id, ids[n])+1)
			}
		}
		prefixes[id] = id[:min(need, len(id))]
	}
	return prefixes
}

// common is the length of the common beginning of two ids.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
