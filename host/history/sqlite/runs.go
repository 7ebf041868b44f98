package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite/internal/db"
)

// Amend changes what is known of a run besides its results.
func (s *Store) Amend(ctx context.Context, run history.Run) error {
	return s.write(ctx, func(tx *sql.Tx) error { return s.setRun(ctx, tx, run) })
}

func (s *Store) addRun(ctx context.Context, tx *sql.Tx, run history.Run) (int64, error) {
	q := db.New(tx)
	known, err := q.HasRun(ctx, db.HasRunParams{Workspace: s.workspace, Uid: run.ID})
	if err != nil {
		return 0, err
	}
	if known > 0 {
		return 0, &history.ExistsError{RunID: run.ID}
	}
	session := db.AddSessionParams{Workspace: s.workspace, Uid: run.SessionID, StartedAt: stamp(run.StartedAt)}
	if err := q.AddSession(ctx, session); err != nil {
		return 0, err
	}
	sessionID, err := q.SessionID(ctx, db.SessionIDParams{Workspace: s.workspace, Uid: run.SessionID})
	if err != nil {
		return 0, err
	}
	counts, err := json.Marshal(run.Counts)
	if err != nil {
		return 0, err
	}
	return q.AddRun(ctx, db.AddRunParams{
		Workspace: s.workspace, Session: sessionID, Uid: run.ID, Language: run.Language,
		State: string(run.State), Kind: string(run.Kind), MixedState: flag(run.MixedState), Whole: flag(run.Whole),
		StartedAt: stamp(run.StartedAt), Duration: int64(run.Duration), Fingerprint: run.Fingerprint,
		Environment: run.Environment, Seed: run.Seed, Verdict: string(run.Verdict), Reason: run.Reason,
		Plugin: run.Plugin, PluginVersion: run.PluginVersion, GitCommit: run.Commit, GitBranch: run.Branch,
		Origin: run.Origin, Outstanding: int64(run.Outstanding), Counts: string(counts),
	})
}

func (s *Store) setRun(ctx context.Context, tx *sql.Tx, run history.Run) error {
	counts, err := json.Marshal(run.Counts)
	if err != nil {
		return err
	}
	id, err := s.runKey(ctx, tx, run.ID)
	if err != nil {
		return err
	}
	params := db.SetRunParams{
		State: string(run.State), Kind: string(run.Kind), MixedState: flag(run.MixedState), Whole: flag(run.Whole),
		StartedAt: stamp(run.StartedAt), Duration: int64(run.Duration), Fingerprint: run.Fingerprint,
		Environment: run.Environment, Seed: run.Seed, Verdict: string(run.Verdict), Reason: run.Reason,
		Plugin: run.Plugin, PluginVersion: run.PluginVersion, GitCommit: run.Commit, GitBranch: run.Branch,
		Origin: run.Origin, Outstanding: int64(run.Outstanding), Counts: string(counts),
		ID: id,
	}
	return s.recount(ctx, tx, id, func() error { return db.New(tx).SetRun(ctx, params) })
}

// maxMatches is how many runs an ambiguous reference names.
const maxMatches = 100

// Run finds a run by its id or the unique beginning of one.
func (s *Store) Run(ctx context.Context, ref string) (history.Run, error) {
	var found history.Run
	if ref == "" {
		return found, &history.NoRunError{}
	}
	err := s.read(ctx, func(tx *sql.Tx) error {
		ids, err := db.New(tx).RunIDsFrom(ctx, db.RunIDsFromParams{Workspace: s.workspace, Uid: ref, Limit: maxMatches})
		if err != nil {
			return err
		}
		var matches []string
		for _, id := range ids {
			if id == ref {
				matches = []string{id}
				break
			}
			if strings.HasPrefix(id, ref) {
				matches = append(matches, id)
			}
		}
		if len(matches) != 1 {
			return &history.NoRunError{Ref: ref, Matches: matches}
		}
		runs, err := s.queryRuns(ctx, tx, "r.uid = ?", []any{matches[0]}, 1)
		if err != nil {
			return err
		}
		found = runs[0]
		return nil
	})
	return found, err
}

// Runs returns runs, the newest first.
func (s *Store) Runs(ctx context.Context, f history.RunFilter) ([]history.Run, error) {
	var c clauses
	c.equal("r.language", f.Language)
	c.equal("u.uid", f.SessionID)
	if f.NotSession != "" {
		c.add("u.uid <> ?", f.NotSession)
	}
	if len(f.Kinds) > 0 {
		in(&c, "r.kind", f.Kinds)
	}
	c.equal("r.state", string(f.State))
	if f.Before > 0 {
		c.add("r.id < ?", f.Before)
	}
	if f.Whole {
		c.add("r.whole = 1")
	}
	c.equal("r.environment", f.Environment)
	if f.Setting != "" {
		more := history.EnvironmentOf(f.Setting, "")
		c.add("(r.environment = ? OR substr(r.environment, 1, length(?)) = ?)", f.Setting, more, more)
	}
	var runs []history.Run
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		runs, err = s.queryRuns(ctx, tx, c.text(), c.args, f.Limit)
		return err
	})
	return runs, err
}

// Finished are the orders of the runs that are finished.
func (s *Store) Finished(ctx context.Context) (orders []int64, err error) {
	err = s.read(ctx, func(tx *sql.Tx) (err error) {
		orders, err = collect[int64](ctx, tx, "SELECT id FROM runs WHERE workspace = ? AND state = 'finished' ORDER BY id", s.workspace)
		return err
	})
	return orders, err
}

const selectRuns = `SELECT r.id, r.uid, u.uid, r.kind, r.language, r.plugin, r.plugin_version, r.state, r.verdict, r.reason,
	r.started_at, r.duration, r.counts, r.outstanding, r.fingerprint, r.git_commit, r.git_branch, r.mixed_state,
	r.environment, r.seed, r.whole, r.origin
FROM runs r JOIN sessions u ON u.id = r.session WHERE r.workspace = ? AND `

func (s *Store) queryRuns(ctx context.Context, tx *sql.Tx, where string, args []any, limit int) ([]history.Run, error) {
	if limit <= 0 {
		limit = -1
	}
	args = append(append([]any{s.workspace}, args...), limit)
	rows, err := tx.QueryContext(ctx, selectRuns+where+" ORDER BY r.id DESC LIMIT ?", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var runs []history.Run
	for rows.Next() {
		var r history.Run
		var started, duration int64
		var counts string
		err := rows.Scan(&r.Order, &r.ID, &r.SessionID, &r.Kind, &r.Language, &r.Plugin, &r.PluginVersion, &r.State, &r.Verdict,
			&r.Reason, &started, &duration, &counts, &r.Outstanding, &r.Fingerprint, &r.Commit, &r.Branch, &r.MixedState,
			&r.Environment, &r.Seed, &r.Whole, &r.Origin)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(counts), &r.Counts); err != nil {
			return nil, &damage{why: "the counts of run " + r.ID + " are not readable: " + err.Error()}
		}
		r.StartedAt, r.Duration = unstamp(started), time.Duration(duration)
		runs = append(runs, r)
	}
	return runs, rows.Err()
}

// runKey is the row of a run.
func (s *Store) runKey(ctx context.Context, tx *sql.Tx, uid string) (int64, error) {
	id, err := db.New(tx).RunKey(ctx, db.RunKeyParams{Workspace: s.workspace, Uid: uid})
	if errors.Is(err, sql.ErrNoRows) {
		err = &history.NoRunError{Ref: uid}
	}
	return id, err
}

// latest are the rows of the latest finished runs that count: not those of a
// triage, which are of another state. n of 0 is all.
func (s *Store) latest(ctx context.Context, tx *sql.Tx, language string, n int) ([]int64, error) {
	var c clauses
	c.add("workspace = ?", s.workspace)
	c.add("state = ?", api.StateFinished)
	c.add("kind <> ?", api.KindTriage)
	c.equal("language", language)
	if n <= 0 {
		n = -1
	}
	return collect[int64](ctx, tx, "SELECT id FROM runs WHERE "+c.text()+" ORDER BY id DESC LIMIT ?", append(c.args, n)...)
}
