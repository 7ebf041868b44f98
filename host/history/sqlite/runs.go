package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Amend changes what is known of a run besides its results.
func (s runStore) Amend(ctx context.Context, run history.Run) error {
	return s.write(ctx, func(tx *sql.Tx) error { return s.setRun(ctx, tx, run) })
}

func (s *Database) addRun(ctx context.Context, tx *sql.Tx, run history.Run) (int64, error) {
	known, err := pick[bool](ctx, tx, "SELECT EXISTS (SELECT 1 FROM runs WHERE workspace = ? AND uid = ?)", s.workspace, run.ID)
	if err != nil {
		return 0, err
	}
	if known {
		return 0, fmt.Errorf("run %s is on record already", run.ID)
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO sessions (workspace, uid, started_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		s.workspace, run.SessionID, stamp(run.StartedAt))
	if err != nil {
		return 0, err
	}
	session, err := pick[int64](ctx, tx, "SELECT id FROM sessions WHERE workspace = ? AND uid = ?", s.workspace, run.SessionID)
	if err != nil {
		return 0, err
	}
	values, err := runValues(run)
	if err != nil {
		return 0, err
	}
	values = append([]any{s.workspace, session, run.ID, run.Language}, values...)
	return pick[int64](ctx, tx, "INSERT INTO runs (workspace, session, uid, language, "+runColumns+") VALUES ("+marks(len(values))+") RETURNING id",
		values...)
}

// runColumns are the columns of [runValues], which may become known only after the run
// began.
const runColumns = "state, kind, mixed_state, whole, started_at, duration, fingerprint, environment, seed, verdict, reason, " +
	"plugin, plugin_version, git_commit, git_branch, origin, outstanding, counts"

func runValues(run history.Run) ([]any, error) {
	counts, err := json.Marshal(run.Counts)
	return []any{
		run.State, run.Kind, run.MixedState, run.Whole, stamp(run.StartedAt), int64(run.Duration), run.Fingerprint, run.Environment,
		run.Seed, run.Verdict, run.Reason, run.Plugin, run.PluginVersion, run.Commit, run.Branch, run.Origin, run.Outstanding, string(counts),
	}, err
}

func (s *Database) setRun(ctx context.Context, tx *sql.Tx, run history.Run) error {
	values, err := runValues(run)
	if err != nil {
		return err
	}
	id, err := s.runKey(ctx, tx, run.ID)
	if err != nil {
		return err
	}
	return s.recount(ctx, tx, id, func() error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET ("+runColumns+") = ("+marks(len(values))+") WHERE id = ?", append(values, id)...)
		return err
	})
}

// maxMatches is how many runs an ambiguous reference names.
const maxMatches = 100

// Run finds a run by its id or the unique beginning of one.
func (s runStore) Run(ctx context.Context, ref string) (history.Run, error) {
	var found history.Run
	if ref == "" {
		return found, &history.NoRunError{}
	}
	err := s.read(ctx, func(tx *sql.Tx) error {
		// Mostly it is a whole id, and each further query would have to be prepared.
		runs, err := s.queryRuns(ctx, tx, "r.uid = ?", []any{ref}, history.RunFilter{Limit: 1})
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			if runs, err = runBeginning(ctx, s.Database, tx, ref); err != nil {
				return err
			}
		}
		found = runs[0]
		return nil
	})
	return found, err
}

// runBeginning finds the one run whose id begins like this.
func runBeginning(ctx context.Context, s *Database, tx *sql.Tx, ref string) ([]history.Run, error) {
	ids, err := collect[string](ctx, tx, "SELECT uid FROM runs WHERE workspace = ? AND uid > ? ORDER BY uid LIMIT ?", s.workspace, ref, maxMatches)
	if err != nil {
		return nil, err
	}
	matches := slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, ref) })
	if len(matches) != 1 {
		return nil, &history.NoRunError{Ref: ref, Matches: matches}
	}
	return s.queryRuns(ctx, tx, "r.uid = ?", []any{matches[0]}, history.RunFilter{Limit: 1})
}

// Runs returns runs, newest first.
func (s runStore) Runs(ctx context.Context, f history.RunFilter) ([]history.Run, error) {
	var c clauses
	if len(f.IDs) > 0 {
		ids, err := json.Marshal(f.IDs)
		if err != nil {
			return nil, err
		}
		c.add("r.uid IN (SELECT value FROM json_each(?))", string(ids))
	}
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
		c.add("r.environment IN (?, ?)", f.Setting, history.ShortOf(f.Setting))
	}
	var runs []history.Run
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		runs, err = s.queryRuns(ctx, tx, c.text(), c.args, f)
		return err
	})
	return runs, err
}

// Span sums up the finished runs.
func (s runStore) Span(ctx context.Context) (span history.Span, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		var since int64
		var languages string
		err := tx.QueryRowContext(ctx, `SELECT count(*), count(DISTINCT session), coalesce(min(started_at), 0), json_group_array(DISTINCT language)
FROM runs WHERE workspace = ? AND state = 'finished'`, s.workspace).Scan(&span.Runs, &span.Sessions, &since, &languages)
		if err != nil {
			return err
		}
		span.Since = unstamp(since)
		err = json.Unmarshal([]byte(languages), &span.Languages)
		slices.Sort(span.Languages)
		return err
	})
	return span, err
}

// Finished returns the orders of the finished runs.
func (s runStore) Finished(ctx context.Context) (orders []int64, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		text, err := pick[string](ctx, tx, "SELECT coalesce(group_concat(id), '') FROM runs WHERE workspace = ? AND state = 'finished'", s.workspace)
		if err != nil {
			return err
		}
		for order, err := range numbersIn(text) {
			if err != nil {
				return err
			}
			orders = append(orders, order)
		}
		slices.Sort(orders)
		return nil
	})
	return orders, err
}

const selectRuns = `SELECT r.id, r.uid, u.uid, r.kind, r.language, r.plugin, r.plugin_version, r.state, r.verdict, r.reason,
	r.started_at, r.duration, r.counts, r.outstanding, r.fingerprint, r.git_commit, r.git_branch, r.mixed_state,
	r.environment, r.seed, r.whole, r.origin
FROM runs r JOIN sessions u ON u.id = r.session WHERE r.workspace = ? AND `

func (s *Database) queryRuns(ctx context.Context, tx *sql.Tx, where string, args []any, f history.RunFilter) ([]history.Run, error) {
	limit, direction := f.Limit, "DESC"
	if limit <= 0 {
		limit = -1
	}
	if f.Oldest {
		direction = "ASC"
	}
	args = append(append([]any{s.workspace}, args...), limit)
	rows, err := tx.QueryContext(ctx, selectRuns+where+" ORDER BY r.id "+direction+" LIMIT ?", args...)
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

// runKey returns the row of a run.
func (s *Database) runKey(ctx context.Context, tx *sql.Tx, uid string) (int64, error) {
	id, err := pick[int64](ctx, tx, "SELECT id FROM runs WHERE workspace = ? AND uid = ?", s.workspace, uid)
	if errors.Is(err, sql.ErrNoRows) {
		err = &history.NoRunError{Ref: uid}
	}
	return id, err
}

// latest returns the rows of the n latest finished runs, all if n is 0. A triage does not
// count, being of another source state.
func (s *Database) latest(ctx context.Context, tx *sql.Tx, language string, n int) ([]int64, error) {
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
