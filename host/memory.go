package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

// historyFile is the database beside the records of the runs.
const historyFile = "history.db"

// lostKey marks a history that was begun where there had been runs before: what
// they left outstanding is not known.
const lostKey = "lost/v1"

// Why a history is marked so: the one before it is gone, or is in the other place and
// could not be read.
const (
	lostGone  = "gone"
	lostApart = "apart"
)

// memory is what is on record of a workspace: the artefacts of its runs, and its
// history.
type memory struct {
	host    *Host
	store   *session.Store
	history history.Store // nil where only the artefacts can be read
	// notice says that an unusable history was set aside; nil if not.
	notice error
	// trouble is why the history could not be read or brought up to date, for an
	// answer that can do without.
	trouble error
	// renewed: another history has taken the place of the first; see [memory.renew].
	renewed bool
	// extent is how much is looked at to judge files; zero is as usual.
	extent extent
	// readOnly: the records cannot be written.
	readOnly bool
}

// opened is a history that stays open.
type opened struct {
	history.Store
	worktree string
}

// remember opens the history beside the records; it makes one where there is
// none. One Host opens each once, and again where another file has taken the place
// of the first. What runs in a box is not remembered.
func (h *Host) remember(ctx context.Context, store *session.Store) (*memory, error) {
	h.opens.mu.Lock()
	defer h.opens.mu.Unlock()
	dir, worktree := store.Dir(), fingerprint.Worktree(store.Workspace())
	if store.IsReadOnly() {
		return h.overlook(ctx, store)
	}
	m := &memory{host: h, store: store}
	if db, ok := h.stores[dir]; ok {
		if db.worktree == worktree && db.InPlace() {
			m.history = db.Store
			m.writeKept(ctx)
			_, err := m.join(ctx)
			return m, err
		}
		h.forget(dir, db)
	}
	if h.lost[dir] {
		if err := store.Remake(); err != nil {
			return nil, err
		}
	}
	begins := !hasHistory(store)
	behind := store.IsBehind(historyFile)
	db, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, historyFile), Root: store.Workspace(), Worktree: worktree})
	m.history = db
	var aside *history.SetAsideError
	if errors.As(err, &aside) {
		m.notice, err = aside, nil
		h.notice(aside.Error())
	}
	var joined, gone bool
	if err == nil {
		joined, err = m.join(ctx)
		gone = begins && (store.HasRuns() || !joined)
	}
	if err == nil && gone {
		why := lostGone
		if !store.HasRuns() {
			why = lostApart
		}
		err = m.history.Put(ctx, lostKey, []byte(why))
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
func (m *memory) doubt(ctx context.Context) error {
	languages, err := m.languages(ctx)
	if err != nil {
		return err
	}
	for _, language := range languages {
		_, err := m.history.UpdateOutstanding(ctx, language, func(set rerun.Set, _, _ bool) rerun.Set {
			return union(set, everything(""))
		})
		if err != nil {
			return err
		}
	}
	return m.store.CatchUp(historyFile)
}

// forget lets go of a history that is not to be used any more. Where its file is
// not in its place, what it had is lost.
func (h *Host) forget(dir string, db opened) {
	if !db.InPlace() {
		h.lost[dir] = true
	}
	h.retire(dir, db)
}

// retire closes a history as soon as nobody uses it any more.
func (h *Host) retire(dir string, db opened) {
	delete(h.stores, dir)
	if s, ok := db.Store.(*sqlite.Store); ok {
		retire(&h.opens.retired, s, func(_ context.Context, s *sqlite.Store) { _ = s.Close() })
	}
}

// restore puts into a new history what this process knows to be outstanding. What
// others added to the old one is not known: where that matters, everything is.
func (m *memory) restore(ctx context.Context) {
	for language, kept := range m.host.keeping.of(m.store.Workspace()) {
		if !kept.unwritten {
			kept.unwritten, kept.exact = true, false
			m.host.keeping.put(m.key(language), kept, false)
		}
	}
}

// writeKept writes what could not be written before, if anything. Until that is
// possible it is remembered.
func (m *memory) writeKept(ctx context.Context) {
	for language, kept := range m.host.keeping.of(m.store.Workspace()) {
		if !kept.unwritten {
			continue
		}
		begun := m.isLost(ctx)
		set, err := m.history.UpdateOutstanding(ctx, language, func(set rerun.Set, known, lost bool) rerun.Set {
			if lost || begun && !known {
				set, known = everything(""), true
			}
			return kept.over(set, known)
		})
		if err != nil {
			m.host.cfg.Logger.Warn("what is outstanding could not be written", "language", language, "error", err)
			continue
		}
		m.host.keeping.put(m.key(language), keptSet{set: set}, false)
	}
}

func (m *memory) key(language string) keptKey { return keptKey{m.store.Workspace(), language} }

// renew goes on with the history that is in its place now, where another file has
// taken that while this one was in use.
func (m *memory) renew(ctx context.Context) error {
	if m.history.InPlace() {
		return nil
	}
	now, err := m.host.remember(ctx, m.store)
	if err != nil {
		return err
	}
	m.history, m.notice, m.renewed = now.history, now.notice, true
	m.retell(ctx)
	return nil
}

// retell puts into a history that is new what this process knows of earlier runs.
func (m *memory) retell(ctx context.Context) {
	if err := m.settleKept(ctx); err != nil {
		m.host.cfg.Logger.Warn("the last runs could not be put on record again", "error", err)
	}
}

// settledMemory opens the history and ends runs that were killed. One that turns
// out to be unusable is opened once more, which sets it aside.
func (h *Host) settledMemory(ctx context.Context, store *session.Store) (*memory, error) {
	m, err := h.remember(ctx, store)
	if err != nil || m.readOnly {
		return m, err
	}
	if err = m.settle(ctx); err == nil || m.history.InPlace() {
		return m, err
	}
	if err := m.renew(ctx); err != nil {
		return nil, err
	}
	return m, m.settle(ctx)
}

// recall opens what is on record of a workspace for a question about its history,
// and ends runs that were killed. It starts no plugin. Without any record it is a
// [*NoRunError].
func (h *Host) recall(ctx context.Context, where Where) (*memory, error) {
	store, err := h.openRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) && !h.keeping.hasAny(store.Workspace()) {
		if err := unrecorded(store); err != nil {
			return nil, err
		}
		return nil, &NoRunError{}
	}
	return h.told(h.settledMemory(ctx, store))
}

// told says beside an answer from records what is kept in another place.
func (h *Host) told(m *memory, err error) (*memory, error) {
	if err == nil {
		if line := m.elsewhere(); line != "" {
			h.notice(line)
		}
	}
	return m, err
}

// reading opens what is on record for a question that can be answered without a
// history: where there is none, or it cannot be read, the memory has none.
func (h *Host) reading(ctx context.Context, store *session.Store) (*memory, error) {
	bare := &memory{host: h, store: store}
	if !hasHistory(store) {
		return bare, nil
	}
	m, err := h.told(h.settledMemory(ctx, store))
	if err == nil || ctx.Err() != nil {
		return m, err
	}
	h.notice(err.Error())
	if m == nil {
		m = bare
	} else if _, unread := m.history.Runs(ctx, history.RunFilter{Limit: 1}); unread != nil {
		m.history = nil
	}
	m.trouble = err
	return m, nil
}

func hasHistory(store *session.Store) bool {
	_, err := os.Lstat(filepath.Join(store.Dir(), historyFile))
	return err == nil
}

// notice tells the user something that belongs to no run.
func (h *base) notice(text string) {
	if h.cfg.Notice != nil {
		h.cfg.Notice(text)
	}
}

// outstanding is what is outstanding of a language. Where that is not known any
// more, everything is: a red must not be lost with its record.
func (m *memory) outstanding(ctx context.Context, language string) (rerun.Set, error) {
	if p, err := m.principal(ctx); err != nil || p != m {
		if err != nil {
			return everything(""), err
		}
		return p.outstanding(ctx, language)
	}
	set, known, lost, err := m.history.Outstanding(ctx, language)
	kept, _ := m.host.keeping.get(m.key(language))
	switch {
	case err != nil:
		return union(kept.set, everything(m.gaps(ctx, language).last)), err
	case kept.unwritten:
		set, known, lost = kept.over(set, known), true, false
	case known:
		m.host.keeping.put(m.key(language), keptSet{set: set}, true)
	}
	return m.gaps(ctx, language).fill(set, known, lost), nil
}

// updateOutstanding replaces it by what update makes of it. The set is what is
// outstanding also where, as the error says, it could not be written.
func (m *memory) updateOutstanding(ctx context.Context, language string, update func(rerun.Set) rerun.Set) (rerun.Set, error) {
	unrenewed := m.renew(ctx)
	g := m.gaps(ctx, language)
	kept, _ := m.host.keeping.get(m.key(language))
	var after keptSet
	_, err := m.history.UpdateOutstanding(ctx, language, func(set rerun.Set, known, lost bool) rerun.Set {
		after.before, after.exact = set, true
		if kept.unwritten {
			set, known, lost = kept.over(set, known), true, false
		}
		after.set = update(g.fill(set, known, lost))
		return after.set
	})
	if err != nil && !after.exact {
		after.set = update(union(kept.set, everything(g.last)))
	}
	after.unwritten = err != nil || unrenewed != nil
	m.host.keeping.put(m.key(language), after, false)
	return after.set, errors.Join(unrenewed, err)
}

// gaps are what the history of a language lacks.
type gaps struct {
	// last is the session's last run.
	last string
	// begun: there were runs before the history. unrecorded: the last run is not in
	// it; it was shown but not recorded.
	begun, unrecorded bool
}

func (m *memory) gaps(ctx context.Context, language string) gaps {
	slot, _, err := m.store.Slot(language)
	g := gaps{last: slot.RunID, begun: m.isLost(ctx) || err != nil}
	if g.last != "" {
		var unknown *history.NoRunError
		_, err := m.history.Run(ctx, g.last)
		kept, _ := m.host.keeping.get(m.key(language))
		g.unrecorded = errors.As(err, &unknown) && !kept.tells(g.last)
	}
	return g
}

// fill adds everything to a set of which something may be missing.
func (g gaps) fill(set rerun.Set, known, lost bool) rerun.Set {
	if !lost && (known || !g.begun && g.last == "") && !g.unrecorded {
		return set
	}
	if lost || !known {
		return everything(g.last)
	}
	all := everything(g.last)
	if slices.ContainsFunc(set.Entries, func(e rerun.Entry) bool { return e.Test == all.Entries[0].Test }) {
		return set
	}
	set.Entries = append(slices.Clone(set.Entries), all.Entries...)
	return set
}

// isLost tells whether there were runs before the history.
func (m *memory) isLost(ctx context.Context) bool {
	_, gone, err := m.history.Get(ctx, lostKey)
	return gone || err != nil
}
