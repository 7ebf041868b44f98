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

// LostKey marks a history that was begun where there had been runs before: what
// they left outstanding is not known.
const LostKey = "lost/v1"

// Why a history is marked so: the one before it is gone, or is in the other place and
// could not be read.
const (
	lostGone  = "gone"
	lostApart = "apart"
)

// Ledger is what is on record of a workspace: the artefacts of its runs, and its
// history.
type Ledger struct {
	Keeper    *Keeper
	Artifacts *artifacts.Store
	History   history.Store // nil where only the artefacts can be read
	// notice says that an unusable history was set aside; nil if not.
	notice error
	// trouble is why the history could not be read or brought up to date, for an
	// answer that can do without.
	trouble error
	// renewed: another history has taken the place of the first; see [Ledger.renew].
	renewed bool
	// Extent is how much is looked at to judge files; zero is as usual.
	Extent Extent
	// readOnly: the records cannot be written.
	readOnly bool
}

// Remember opens the history beside the records; it makes one where there is
// none. One Keeper opens each once, and again where another file has taken the place
// of the first. What runs in a box is not remembered.
func (h *Keeper) Remember(ctx context.Context, store *artifacts.Store) (*Ledger, error) {
	h.opens.mu.Lock()
	defer h.opens.mu.Unlock()
	dir, worktree := store.Dir(), fingerprint.Worktree(store.Workspace())
	if artifacts.IsReadOnly(store) {
		return h.overlook(ctx, store)
	}
	m := &Ledger{Keeper: h, Artifacts: store}
	if db, ok := h.stores[dir]; ok {
		if db.worktree == worktree && db.InPlace() {
			m.History = db.Store
			m.writeKept(ctx)
			_, err := m.join(ctx)
			return m, err
		}
		h.forget(dir, db)
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
		joined, err = m.join(ctx)
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
		m.restore(ctx)
	}
	delete(h.lost, dir)
	m.writeKept(ctx)
	if behind && !joined {
		return m, m.doubt(ctx)
	}
	return m, nil
}

// doubt makes everything outstanding: while this history could not be written,
// runs went on in the other place, and what they left is not known here.
func (m *Ledger) doubt(ctx context.Context) error {
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

// forget lets go of a history that is not to be used any more. Where its file is
// not in its place, what it had is lost.
func (h *Keeper) forget(dir string, db opened) {
	if !db.InPlace() {
		h.lost[dir] = true
	}
	h.retire(dir, db)
}

// retire closes a history as soon as nobody uses it any more.
func (h *Keeper) retire(dir string, db opened) {
	delete(h.stores, dir)
	if s, ok := db.Store.(*sqlite.Store); ok {
		project.Retire(&h.opens.retired, s.Database, func(_ context.Context, db *sqlite.Database) { _ = db.Close() })
	}
}

// restore puts into a new history what this process knows to be outstanding. What
// others added to the old one is not known: where that matters, everything is.
func (m *Ledger) restore(ctx context.Context) {
	for language, kept := range m.Keeper.keeping.of(m.Artifacts.Workspace()) {
		if !kept.unwritten {
			kept.unwritten, kept.exact = true, false
			m.Keeper.keeping.put(m.key(language), kept, false)
		}
	}
}

// writeKept writes what could not be written before, if anything. Until that is
// possible it is remembered.
func (m *Ledger) writeKept(ctx context.Context) {
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

// renew goes on with the history that is in its place now, where another file has
// taken that while this one was in use.
func (m *Ledger) renew(ctx context.Context) error {
	if m.History.InPlace() {
		return nil
	}
	now, err := m.Keeper.Remember(ctx, m.Artifacts)
	if err != nil {
		return err
	}
	m.History, m.notice, m.renewed = now.History, now.notice, true
	m.retell(ctx)
	return nil
}

// retell puts into a history that is new what this process knows of earlier runs.
func (m *Ledger) retell(ctx context.Context) {
	if err := m.settleKept(ctx); err != nil {
		m.Keeper.Cfg.Logger.Warn("the last runs could not be put on record again", "error", err)
	}
}

// SettledMemory opens the history and ends runs that were killed. One that turns
// out to be unusable is opened once more, which sets it aside.
func (h *Keeper) SettledMemory(ctx context.Context, store *artifacts.Store) (*Ledger, error) {
	m, err := h.Remember(ctx, store)
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

// Recall opens what is on record of a workspace for a question about its history,
// and ends runs that were killed. It starts no plugin. Without any record it is a
// [*api.NoRunError].
func (h *Keeper) Recall(ctx context.Context, where api.Where) (*Ledger, error) {
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
	return h.told(h.SettledMemory(ctx, store))
}

// told says beside an answer from records what is kept in another place.
func (h *Keeper) told(m *Ledger, err error) (*Ledger, error) {
	if err == nil {
		if line := m.elsewhere(); line != "" {
			h.Notice(line)
		}
	}
	return m, err
}

// Reading opens what is on record for a question that can be answered without a
// history: where there is none, or it cannot be read, the Ledger has none.
func (h *Keeper) Reading(ctx context.Context, store *artifacts.Store) (*Ledger, error) {
	bare := &Ledger{Keeper: h, Artifacts: store}
	if !hasHistory(store) {
		return bare, nil
	}
	m, err := h.told(h.SettledMemory(ctx, store))
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

// Outstanding is what is outstanding of a language. Where that is not known any
// more, everything is: a red must not be lost with its record.
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

// UpdateOutstanding replaces it by what update makes of it. The set is what is
// outstanding also where, as the error says, it could not be written.
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
	// Begun: there were runs before the history. unrecorded: the last run is not in
	// it; it was shown but not recorded.
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

// Fill adds everything to a set of which something may be missing.
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

// Extent is how much is looked at to judge files.
type Extent struct {
	// Tests is how many tests that ever failed are looked at, those that failed last
	// first, each how many of one file at most: that one is bad shows with a few. from
	// is how many they are chosen from.
	Tests, Each, From int
	// Points is how many results of each are read. Of the first full tests, all sessions
	// are looked at beside these.
	Points, Full int
}

// unrecorded is an [api.UnrecordedError] where the session's last run is one; else nil.
func unrecorded(store *artifacts.Store) error {
	if artifacts.IsDisowned(store) {
		return &api.UnrecordedError{RunID: artifacts.LastUnwritten(store)}
	}
	return nil
}

// Settled opens the history for a run, and ends runs that were killed. It is nil
// where there is none: in a box, or with the error that says why.
func (h *Keeper) Settled(ctx context.Context, store *artifacts.Store) (*Ledger, error) {
	if h.Box != nil {
		return nil, nil
	}
	return h.SettledMemory(ctx, store)
}

// Before is what was outstanding before a run. Without a history it is not known.
func (h *Keeper) Before(ctx context.Context, m *Ledger, language string) (outstanding.Set, error) {
	switch {
	case m != nil:
		return m.Outstanding(ctx, language)
	case h.Box != nil:
		return outstanding.Set{}, nil
	}
	return everything(""), nil
}

// everything says that it is not known what is outstanding since a run.
func everything(runID string) outstanding.Set {
	return outstanding.Set{Entries: []outstanding.Entry{{Reason: outstanding.ReasonRun, Why: outstanding.WhyLost, RunID: runID, LastRunID: runID}}}
}

// Measurements is where it is kept what was measured of a workspace.
func Measurements(store *artifacts.Store) *coveragestore.Store {
	return coveragestore.New(coveragestore.Config{Dir: filepath.Join(store.Dir(), coverageName)})
}

// coverageName is the directory of measurements beside the records.
const coverageName = "coverage"

// Measured are the measurements of a project's suites in a setting, by name.
func Measured(ctx context.Context, kept *coveragestore.Store, p project.Project, args []string) (map[string]*coverage.Suite, error) {
	suites, err := kept.Suites(ctx, p.ID.Language, p.Setting(args))
	byName := make(map[string]*coverage.Suite, len(suites))
	for _, s := range suites {
		byName[s.Suite] = s
	}
	return byName, err
}
