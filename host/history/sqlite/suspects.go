package sqlite

import (
	"context"
	"database/sql"

	"github.com/proctorhq/proctor/host/history"
)

// Suspects are the tests that ended badly, those that did so last first. A test
// that only failed because of others inside it is none, but where it is one, these
// failures count.
func (s *Store) Suspects(ctx context.Context, f history.SuspectFilter) ([]history.Test, error) {
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
			since(&c, f, runs[len(runs)-1])
		}
		limit := f.Limit
		if limit <= 0 {
			limit = -1
		}
		var err error
		tests, err = queryTests(ctx, tx, "SELECT "+testColumns+` FROM (
	SELECT s.test AS test, s.last AS last FROM suspects s WHERE `+c.text()+` ORDER BY s.last DESC, s.test LIMIT ?) k
JOIN tests t ON t.id = k.test ORDER BY k.last DESC, t.suite, t.name`, append(c.args, limit)...)
		return err
	})
	return tests, err
}

// badSince are the bad results of a suspect from a run on.
const badSince = `FROM results x INDEXED BY results_by_test CROSS JOIN runs r ON r.id = x.run AND ` + counted + `
	WHERE x.test = s.test AND x.run >= ? AND x.outcome IN (1, 3)`

// since narrows suspects to what the runs from one on say against them. That is not
// counted beforehand: it is looked up for each suspect until there are enough.
func since(c *clauses, f history.SuspectFilter, run int64) {
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
