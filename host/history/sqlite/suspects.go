package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Suspects returns the tests that ended badly, latest first. A test that only ever failed
// because of its subtests is none, but once it is one, those failures count, too.
func (s resultStore) Suspects(ctx context.Context, f history.SuspectFilter) ([]history.Test, error) {
	var tests []history.Test
	err := s.read(ctx, func(tx *sql.Tx) error {
		var c clauses
		c.add("s.workspace = ?", s.workspace)
		c.add("s.own > 0")
		if f.Language != "" {
			c.add("EXISTS (SELECT 1 FROM tests t WHERE t.id = s.test AND t.language = ?)", f.Language)
		}
		if f.Sessions > 1 {
			c.add("s.sessions >= ?", f.Sessions)
		}
		if f.Both {
			c.add("s.both > 0")
		}
		if f.Among > 0 {
			c.add("(SELECT count(*) FROM (SELECT 1 FROM results x WHERE x.test = s.test AND x.run > s.last AND "+ofFinished+" LIMIT ?)) < ?", f.Among, f.Among)
		}
		if len(f.Of) > 0 {
			var of clauses
			in(&of, "x.run", f.Of)
			c.add("s.test IN (SELECT x.test FROM results x WHERE "+of.text()+")", of.args...)
		}
		if f.Runs > 0 {
			runs, err := s.latest(ctx, tx, f.Language, f.Runs)
			if err != nil || len(runs) == 0 {
				return err
			}
			addSince(&c, f, runs[len(runs)-1])
		}
		limit, first := f.Limit, f.First
		if limit <= 0 {
			limit = -1
		}
		if first <= 0 {
			first = -1
		}
		var err error
		tests, err = queryTests(ctx, tx, "SELECT "+testColumns+` FROM (
	SELECT s.test AS test, s.last AS last FROM suspects s WHERE `+c.text()+` ORDER BY s.last DESC, s.test LIMIT ?) k
JOIN tests t ON t.id = k.test ORDER BY k.last DESC, t.suite, t.name LIMIT ?`, append(c.args, limit, first)...)
		return err
	})
	return tests, err
}

// badSince are the bad results of a suspect from a run on.
const badSince = `FROM results x INDEXED BY results_by_test CROSS JOIN runs r ON r.id = x.run AND ` + counted + `
	WHERE x.test = s.test AND x.run >= ? AND x.outcome IN (1, 3)`

// addSince restricts suspects to those that the runs from one on make suspects. That is not
// precomputed, but looked up for each suspect until there are enough.
func addSince(c *clauses, f history.SuspectFilter, run int64) {
	c.add("s.last >= ?", run)
	c.add("EXISTS (SELECT 1 "+badSince+" AND x.flags & 1 = 0)", run)
	if f.Sessions > 1 {
		c.add("(SELECT count(DISTINCT r.session) "+badSince+") >= ?", run, f.Sessions)
	}
	if f.Both {
		c.add(`EXISTS (SELECT 1 `+badSince+` AND r.fingerprint <> '' AND r.mixed_state = 0 AND EXISTS (
		SELECT 1 FROM runs p CROSS JOIN results y ON y.run = p.id AND y.test = s.test AND y.outcome = 0
		WHERE p.workspace = r.workspace AND p.fingerprint = r.fingerprint AND p.environment = r.environment
		AND p.mixed_state = 0 AND p.state = 'finished' AND p.kind <> 'triage'))`, run)
	}
}

// recount calls do, which changes a run or its results, and keeps the suspects correct:
// they count the results of finished runs other than triages. It may be called for any run
// at any time; one that counts neither before nor after costs nothing.
func (s *Database) recount(ctx context.Context, tx *sql.Tx, run int64, do func() error) error {
	if err := s.tally(ctx, tx, run, discount); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return s.tally(ctx, tx, run, count)
}

// counted are the runs that count, as r.
const counted = "r.state = 'finished' AND r.kind <> 'triage'"

// A change of the suspects by one run; the order matters. Parameters are 1 the run, 2
// its session, 3 the workspace, 4 the language, 5 the fingerprint, 6 the environment.
var (
	count    = []string{countBad, "UPDATE suspects SET both = both + 1 WHERE test IN (" + decided + ")"}
	discount = []string{"UPDATE suspects SET both = both - 1 WHERE test IN (" + decided + ")", forgetBad, discountBad}
)

// tally updates the suspects by a run's results, if the run counts.
func (s *Database) tally(ctx context.Context, tx *sql.Tx, run int64, change []string) error {
	var session int64
	var r history.Run
	err := tx.QueryRowContext(ctx, "SELECT session, state, kind, mixed_state, language, fingerprint, environment FROM runs WHERE id = ?", run).
		Scan(&session, &r.State, &r.Kind, &r.MixedState, &r.Language, &r.Fingerprint, &r.Environment)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil || r.State != api.StateFinished || r.Kind == api.KindTriage {
		return err
	}
	if r.MixedState {
		r.Fingerprint = "" // it proves nothing about a state
	}
	if none, err := changesNoSuspect(ctx, tx, s.workspace, run, r); err != nil || none {
		return err
	}
	for _, statement := range change {
		_, err := tx.ExecContext(ctx, statement, run, session, s.workspace, r.Language, r.Fingerprint, r.Environment)
		if err != nil {
			return err
		}
	}
	return nil
}

// changesNoSuspect reports whether the run has nothing bad, and no suspect was bad since the
// first run on its state. Asking costs a tenth of preparing the statements that would find
// nothing to change.
func changesNoSuspect(ctx context.Context, tx *sql.Tx, workspace, run int64, r history.Run) (bool, error) {
	return pick[bool](ctx, tx, `SELECT NOT EXISTS (SELECT 1 FROM results INDEXED BY results_bad WHERE run = ?1 AND outcome IN (1, 3))
	AND NOT EXISTS (SELECT 1 FROM suspects k WHERE k.workspace = ?2 AND k.last >= (SELECT min(r.id) FROM runs r INDEXED BY runs_by_state
		WHERE ?3 <> '' AND r.workspace = ?2 AND r.fingerprint = ?3 AND r.environment = ?4))`, run, workspace, r.Fingerprint, r.Environment)
}

// ofRun selects the tests that are bad in the run, and whether the failure is their own.
const ofRun = `SELECT b.test AS test, min(b.flags & 1) = 0 AS own FROM results b INDEXED BY results_bad
WHERE b.run = ?1 AND b.outcome IN (1, 3) GROUP BY b.test`

// elsewhere reports whether a suspect is bad in another run of the session. Mostly the run
// in which it was last bad decides: it belongs to the session, or the session began after it.
const elsewhere = `(suspects.last <> ?1 AND ?2 = (SELECT r.session FROM runs r WHERE r.id = suspects.last)
	OR EXISTS (SELECT 1 FROM runs r CROSS JOIN results x INDEXED BY results_bad
		ON x.run = r.id AND x.test = suspects.test AND x.outcome IN (1, 3)
		WHERE r.session = ?2 AND r.id <> ?1 AND r.id <= suspects.last AND ` + counted + `))`

const countBad = `INSERT INTO suspects (test, workspace, last, runs, own, sessions, both)
SELECT n.test, ?3, ?1, 1, n.own, 1, 0 FROM (` + ofRun + `) n WHERE true
ON CONFLICT (test) DO UPDATE SET last = max(last, excluded.last), runs = runs + 1, own = own + excluded.own,
	sessions = sessions + NOT ` + elsewhere

const forgetBad = `DELETE FROM suspects WHERE runs <= 1 AND test IN (SELECT n.test FROM (` + ofRun + `) n)`

const discountBad = `UPDATE suspects SET runs = runs - 1, own = suspects.own - n.own, sessions = sessions - NOT ` + elsewhere + `,
	last = CASE WHEN last <> ?1 THEN last ELSE coalesce((
		SELECT x.run FROM results x INDEXED BY results_by_test CROSS JOIN runs r ON r.id = x.run AND ` + counted + `
		WHERE x.test = suspects.test AND x.run < ?1 AND x.outcome IN (1, 3) ORDER BY x.run DESC LIMIT 1), 0) END
FROM (` + ofRun + `) n WHERE n.test = suspects.test`

// decided selects the tests that are both bad and good on the state of the run with it, but
// not without it. Candidates are the bad ones of the run, and the suspects that were bad
// since the first run on that state. A test that is bad both in the run and in another on
// that state depends on others, so few require examining them all.
const decided = `WITH same (run) AS MATERIALIZED (SELECT r.id FROM runs r
	WHERE ?5 <> '' AND r.workspace = ?3 AND r.fingerprint = ?5 AND r.environment = ?6 AND r.language = ?4
	AND r.mixed_state = 0 AND r.id <> ?1 AND ` + counted + `),
likely (test) AS MATERIALIZED (SELECT b.test FROM results b INDEXED BY results_bad WHERE ?5 <> '' AND b.run = ?1 AND b.outcome IN (1, 3)
	UNION SELECT k.test FROM suspects k WHERE k.workspace = ?3 AND k.last >= (SELECT min(same.run) FROM same)),
own (test, bad, good) AS (SELECT likely.test,
	EXISTS (SELECT 1 FROM results x WHERE x.run = ?1 AND x.test = likely.test AND x.outcome IN (1, 3)),
	EXISTS (SELECT 1 FROM results x WHERE x.run = ?1 AND x.test = likely.test AND x.outcome = 0) FROM likely)
SELECT own.test FROM own WHERE CASE
	WHEN own.bad AND own.good THEN NOT (` + otherBad + ` AND ` + otherGood + `)
	WHEN own.bad THEN NOT ` + otherBad + ` AND ` + otherGood + `
	WHEN own.good THEN NOT ` + otherGood + ` AND ` + otherBad + `
	ELSE 0 END`

const (
	otherBad  = "EXISTS (SELECT 1 FROM same CROSS JOIN results x ON x.run = same.run AND x.test = own.test AND x.outcome IN (1, 3))"
	otherGood = "EXISTS (SELECT 1 FROM same CROSS JOIN results x ON x.run = same.run AND x.test = own.test AND x.outcome = 0)"
)
