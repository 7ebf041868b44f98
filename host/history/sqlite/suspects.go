package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// Suspects are the tests that ended badly, those that did so last first. A test
// that only failed because of others inside it is none, but where it is one, these
// failures count.
func (s *Store) Suspects(ctx context.Context, f history.SuspectFilter) ([]history.Test, error) {
	var tests []history.Test
	err := s.read(ctx, func(tx *sql.Tx) error {
		var all clauses
		all.add("r.workspace = ?", s.workspace)
		all.add("r.state = ?", record.StateFinished)
		all.add("r.kind <> ?", record.KindTriage)
		all.equal("r.language", f.Language)
		looked := all
		if f.Runs > 0 {
			runs, err := s.latest(ctx, tx, f.Language, f.Runs)
			if err != nil || len(runs) == 0 {
				return err
			}
			looked.add("r.id >= ?", runs[len(runs)-1])
		}
		var having clauses
		having.add("min(b.flags) = 0")
		if f.Sessions > 1 {
			having.add("count(DISTINCT b.session) >= ?", f.Sessions)
		}
		if f.Both {
			having.add("b.test IN (SELECT both.test FROM both)")
		}
		limit := f.Limit
		if limit <= 0 {
			limit = -1
		}
		var err error
		tests, err = queryTests(ctx, tx, suspects(looked, all, having),
			slices.Concat(looked.args, all.args, having.args, []any{limit})...)
		return err
	})
	return tests, err
}

// suspects finds the tests that ended badly in the runs that are looked at; of
// these, both are those that also passed, in any run, on a state on which they
// failed. A state and an environment have one number, to compare.
func suspects(looked, all, having clauses) string {
	return `WITH bad AS MATERIALIZED (
	SELECT x.test, x.run, x.flags & 1 AS flags, r.session
	FROM runs r CROSS JOIN results x INDEXED BY results_bad ON x.run = r.id AND x.outcome IN (1, 3)
	WHERE ` + looked.text() + `),
sources (run, source) AS MATERIALIZED (
	SELECT r.id, dense_rank() OVER (ORDER BY r.language, r.fingerprint, r.environment) FROM runs r
	WHERE ` + all.text() + ` AND r.fingerprint <> '' AND r.mixed_state = 0),
failed (test, source) AS MATERIALIZED (SELECT DISTINCT b.test, f.source FROM bad b JOIN sources f ON f.run = b.run),
both (test) AS MATERIALIZED (
	SELECT d.test FROM (SELECT DISTINCT test FROM failed) d WHERE EXISTS (
		SELECT 1 FROM failed f CROSS JOIN sources p ON p.source = f.source
		CROSS JOIN results y ON y.run = p.run AND y.test = f.test AND y.outcome = 0 WHERE f.test = d.test))
SELECT ` + testColumns + ` FROM (
	SELECT b.test AS test, max(b.run) AS last FROM bad b GROUP BY b.test HAVING ` + having.text() + `
	ORDER BY last DESC, b.test LIMIT ?) k JOIN tests t ON t.id = k.test
ORDER BY k.last DESC, t.suite, t.name`
}
