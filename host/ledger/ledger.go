package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
)

// HistoryFile is the database beside the records of the runs.
const HistoryFile = "history.db"

// LostKey marks a history that was begun although there had been runs: it is unknown
// what they left outstanding.
const LostKey = "lost/v1"

// Why a history is marked: the previous one is gone, or is in the other place and could
// not be read.
const (
	lostGone  = "gone"
	lostApart = "apart"
)

// Ledger is what is on record of a workspace: the artifacts of its runs, and its
// history.
type Ledger struct {
	Keeper    *Keeper
	Artifacts *artifacts.Store
	History   history.Store // nil if only the artifacts can be read
	// notice says that an unusable history was set aside; nil if not.
	notice error
	// trouble is why the history could not be read or updated, for an answer that can
	// do without.
	trouble error
	// renewed reports whether another history has replaced the first; see
	// [Ledger.renew].
	renewed bool
	// Extent is how much is examined to judge files; zero means as usual.
	Extent Extent
	// readOnly reports whether the records cannot be written.
	readOnly bool
}

// OpenHistory opens the history beside the records, creating it if missing. A Keeper opens
// each once, and again if another file has replaced the first. What runs in a box is
// not remembered.
func OpenHistory(ctx context.Context, h *Keeper, store *artifacts.Store) (*Ledger, error) {
	h.opens.mu.Lock()
	defer h.opens.mu.Unlock()
	dir, worktree := store.Dir(), fingerprint.Worktree(store.Workspace())
	if artifacts.IsReadOnly(store) {
		return openReadOnly(ctx, h, store)
	}
	m := &Ledger{Keeper: h, Artifacts: store}
	if db, ok := h.stores[dir]; ok {
		if db.worktree == worktree && db.InPlace() {
			m.History = db.Store
			writeKept(ctx, m)
			_, err := joinOther(ctx, m)
			return m, err
		}
		forgetHistory(h, dir, db)
	}
	if h.lost[dir] {
		if err := artifacts.Remake(store); err != nil {
			return nil, err
		}
	}
	begins := !hasHistory(store)
	behind := artifacts.IsBehind(store, HistoryFile)
	db, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, HistoryFile), Root: store.Workspace(), Worktree: worktree})
	m.History = db
	var aside *history.SetAsideError
	if errors.As(err, &aside) {
		m.notice, err = aside, nil
		h.Notice(aside.Error())
	}
	var joined, gone bool
	if err == nil {
		joined, err = joinOther(ctx, m)
		gone = begins && (artifacts.HasRuns(store) || !joined)
	}
	if err == nil && gone {
		why := lostGone
		if !artifacts.HasRuns(store) {
			why = lostApart
		}
		err = m.History.Put(ctx, LostKey, []byte(why))
	}
	if err != nil {
		return nil, err
	}
	h.stores[dir] = opened{db, worktree}
	if gone || aside != nil || h.lost[dir] {
		restoreKept(ctx, m)
	}
	delete(h.lost, dir)
	writeKept(ctx, m)
	if behind && !joined {
		return m, doubtAll(ctx, m)
	}
	return m, nil
}

// doubtAll makes everything outstanding: while this history could not be written, runs
// continued in the other place, and what they left is unknown here.
func doubtAll(ctx context.Context, m *Ledger) error {
	languages, err := m.Languages(ctx)
	if err != nil {
		return err
	}
	for _, language := range languages {
		_, err := m.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, _, _ bool) outstanding.Set {
			return union(set, everything(""))
		})
		if err != nil {
			return err
		}
	}
	return artifacts.CatchUp(m.Artifacts, HistoryFile)
}

// forgetHistory drops a history that is no longer to be used. If its file is not in place, its
// content is lost.
func forgetHistory(h *Keeper, dir string, db opened) {
	if !db.InPlace() {
		h.lost[dir] = true
	}
	retireHistory(h, dir, db)
}

// retireHistory closes a history once nobody uses it any more.
func retireHistory(h *Keeper, dir string, db opened) {
	delete(h.stores, dir)
	if s, ok := db.Store.(*sqlite.Store); ok {
		project.CloseUnused(&h.opens.retired, s.Database, func(_ context.Context, db *sqlite.Database) { _ = db.Close() })
	}
}

// restoreKept writes what this process knows to be outstanding to a new history. What
// others added to the old one is unknown: if that matters, everything is outstanding.
func restoreKept(ctx context.Context, m *Ledger) {
	for language, kept := range m.Keeper.keeping.of(m.Artifacts.Workspace()) {
		if !kept.unwritten {
			kept.unwritten, kept.exact = true, false
			m.Keeper.keeping.put(m.key(language), kept, false)
		}
	}
}

// writeKept writes what could not be written before, if anything. It is remembered
// until that is possible.
func writeKept(ctx context.Context, m *Ledger) {
	for language, kept := range m.Keeper.keeping.of(m.Artifacts.Workspace()) {
		if !kept.unwritten {
			continue
		}
		begun := m.isLost(ctx)
		set, err := m.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, known, lost bool) outstanding.Set {
			if lost || begun && !known {
				set, known = everything(""), true
			}
			return kept.over(set, known)
		})
		if err != nil {
			m.Keeper.Cfg.Logger.Warn("what is outstanding could not be written", "language", language, "error", err)
			continue
		}
		m.Keeper.keeping.put(m.key(language), keptSet{set: set}, false)
	}
}

func (m *Ledger) key(language string) keptKey { return keptKey{m.Artifacts.Workspace(), language} }

// renew continues with the history that is now in place, if another file has replaced
// the one in use.
func (m *Ledger) renew(ctx context.Context) error {
	if m.History.InPlace() {
		return nil
	}
	now, err := OpenHistory(ctx, m.Keeper, m.Artifacts)
	if err != nil {
		return err
	}
	m.History, m.notice, m.renewed = now.History, now.notice, true
	retellKept(ctx, m)
	return nil
}

// retellKept writes what this process knows of earlier runs to a new history.
func retellKept(ctx context.Context, m *Ledger) {
	if err := settleKept(ctx, m); err != nil {
		m.Keeper.Cfg.Logger.Warn("the last runs could not be put on record again", "error", err)
	}
}

// Open opens the history and ends runs that were killed. An unusable history
// is reopened once, which sets it aside.
func Open(ctx context.Context, h *Keeper, store *artifacts.Store) (*Ledger, error) {
	m, err := OpenHistory(ctx, h, store)
	if err != nil || m.readOnly {
		return m, err
	}
	if err = m.Settle(ctx); err == nil || m.History.InPlace() {
		return m, err
	}
	if err := m.renew(ctx); err != nil {
		return nil, err
	}
	return m, m.Settle(ctx)
}

// OpenAt opens a workspace's record for a question about its history, and ends runs
// that were killed. It starts no plugin. Without a record the error is a
// [*api.NoRunError].
func OpenAt(ctx context.Context, h *Keeper, where api.Where) (*Ledger, error) {
	store, err := h.OpenRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) && !h.keeping.hasAny(store.Workspace()) {
		if err := unrecorded(store); err != nil {
			return nil, err
		}
		return nil, &api.NoRunError{}
	}
	return openNoting(ctx, h, store)
}

// openNoting opens the ledger and tells the user what is kept in another place.
func openNoting(ctx context.Context, h *Keeper, store *artifacts.Store) (*Ledger, error) {
	m, err := Open(ctx, h, store)
	if err == nil {
		if line := describeOther(m); line != "" {
			h.Notice(line)
		}
	}
	return m, err
}

// OpenToRead opens the record for a question that can be answered without a history: if
// there is none, or it cannot be read, the Ledger has none.
func OpenToRead(ctx context.Context, h *Keeper, store *artifacts.Store) (*Ledger, error) {
	bare := &Ledger{Keeper: h, Artifacts: store}
	if !hasHistory(store) {
		return bare, nil
	}
	m, err := openNoting(ctx, h, store)
	if err == nil || ctx.Err() != nil {
		return m, err
	}
	h.Notice(err.Error())
	if m == nil {
		m = bare
	} else if _, unread := m.History.Runs(ctx, history.RunFilter{Limit: 1}); unread != nil {
		m.History = nil
	}
	m.trouble = err
	return m, nil
}

func hasHistory(store *artifacts.Store) bool {
	_, err := os.Lstat(filepath.Join(store.Dir(), HistoryFile))
	return err == nil
}

// Outstanding returns what is outstanding in a language. If that is no longer known,
// everything is: a red must not be lost with its record.
func (m *Ledger) Outstanding(ctx context.Context, language string) (outstanding.Set, error) {
	if p, err := m.principal(ctx); err != nil || p != m {
		if err != nil {
			return everything(""), err
		}
		return p.Outstanding(ctx, language)
	}
	set, known, lost, err := m.History.Outstanding(ctx, language)
	kept, _ := m.Keeper.keeping.get(m.key(language))
	switch {
	case err != nil:
		return union(kept.set, everything(m.gaps(ctx, language).Last)), err
	case kept.unwritten:
		set, known, lost = kept.over(set, known), true, false
	case known:
		m.Keeper.keeping.put(m.key(language), keptSet{set: set}, true)
	}
	return m.gaps(ctx, language).Fill(set, known, lost), nil
}

// UpdateOutstanding replaces the outstanding set by the result of update. That is what
// is outstanding even if, as the error says, it could not be written.
func (m *Ledger) UpdateOutstanding(ctx context.Context, language string, update func(outstanding.Set) outstanding.Set) (outstanding.Set, error) {
	unrenewed := m.renew(ctx)
	g := m.gaps(ctx, language)
	kept, _ := m.Keeper.keeping.get(m.key(language))
	var after keptSet
	_, err := m.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, known, lost bool) outstanding.Set {
		after.before, after.exact = set, true
		if kept.unwritten {
			set, known, lost = kept.over(set, known), true, false
		}
		after.set = update(g.Fill(set, known, lost))
		return after.set
	})
	if err != nil && !after.exact {
		after.set = update(union(kept.set, everything(g.Last)))
	}
	after.unwritten = err != nil || unrenewed != nil
	m.Keeper.keeping.put(m.key(language), after, false)
	return after.set, errors.Join(unrenewed, err)
}

// Gaps are what the history of a language lacks.
type Gaps struct {
	// Last is the session's last run.
	Last string
	// Begun reports whether there were runs before the history; Unrecorded, whether the
	// last run was shown but not recorded.
	Begun, Unrecorded bool
}

func (m *Ledger) gaps(ctx context.Context, language string) Gaps {
	slot, _, err := m.Artifacts.Slot(language)
	g := Gaps{Last: slot.RunID, Begun: m.isLost(ctx) || err != nil}
	if g.Last != "" {
		var unknown *history.NoRunError
		_, err := m.History.Run(ctx, g.Last)
		kept, _ := m.Keeper.keeping.get(m.key(language))
		g.Unrecorded = errors.As(err, &unknown) && !kept.tells(g.Last)
	}
	return g
}

// Fill adds everything to a set that may be incomplete.
func (g Gaps) Fill(set outstanding.Set, known, lost bool) outstanding.Set {
	if !lost && (known || !g.Begun && g.Last == "") && !g.Unrecorded {
		return set
	}
	if lost || !known {
		return everything(g.Last)
	}
	all := everything(g.Last)
	if slices.ContainsFunc(set.Entries, func(e outstanding.Entry) bool { return e.Test == all.Entries[0].Test }) {
		return set
	}
	set.Entries = append(slices.Clone(set.Entries), all.Entries...)
	return set
}

// isLost reports whether there were runs before the history.
func (m *Ledger) isLost(ctx context.Context) bool {
	_, gone, err := m.History.Get(ctx, LostKey)
	return gone || err != nil
}

// Extent is how much is examined to judge files.
type Extent struct {
	// Tests is how many tests that ever failed are examined, latest failures first, and
	// Each the most for one file: a few suffice to show that it is bad. From is how
	// many they are chosen from.
	Tests, Each, From int
	// Points is how many results are read for each. For the first Full tests, all
	// sessions are examined as well.
	Points, Full int
}

// unrecorded returns an [api.UnrecordedError] if the session's last run could not be
// recorded, else nil.
func unrecorded(store *artifacts.Store) error {
	if artifacts.IsDisowned(store) {
		return &api.UnrecordedError{RunID: artifacts.LastUnwritten(store)}
	}
	return nil
}

// OpenForRun opens the history for a run, and ends runs that were killed. It returns nil
// if there is none: in a box, or with the error that says why.
func OpenForRun(ctx context.Context, h *Keeper, store *artifacts.Store) (*Ledger, error) {
	if h.Box != nil {
		return nil, nil
	}
	return Open(ctx, h, store)
}

// OutstandingBefore returns what was outstanding before a run. Without a history it is unknown.
func OutstandingBefore(ctx context.Context, h *Keeper, m *Ledger, language string) (outstanding.Set, error) {
	switch {
	case m != nil:
		return m.Outstanding(ctx, language)
	case h.Box != nil:
		return outstanding.Set{}, nil
	}
	return everything(""), nil
}

// everything says that it is unknown what is outstanding since a run.
func everything(runID string) outstanding.Set {
	return outstanding.Set{Entries: []outstanding.Entry{{Reason: outstanding.ReasonRun, Why: outstanding.WhyLost, RunID: runID, LastRunID: runID}}}
}

// Measurements returns where a workspace's measurements are kept.
func Measurements(store *artifacts.Store) *coveragestore.Store {
	return coveragestore.New(coveragestore.Config{Dir: filepath.Join(store.Dir(), coverageName)})
}

// coverageName is the directory of measurements beside the records.
const coverageName = "coverage"

// MeasuredSuites returns the measurements of a project's suites in a setting, by name.
func MeasuredSuites(ctx context.Context, kept *coveragestore.Store, p project.Project, args []string) (map[string]*coverage.Suite, error) {
	suites, err := kept.Suites(ctx, p.ID.Language, p.Setting(args))
	byName := make(map[string]*coverage.Suite, len(suites))
	for _, s := range suites {
		byName[s.Suite] = s
	}
	return byName, err
}
