package sqlite

import (
	"context"
	"fmt"
	"strings"
)

// tables are those that the migrations make and queries need.
var tables = [...]string{
	"workspaces", "sessions", "runs", "tests", "signatures", "results", "suspects", "measure_names", "measures", "states",
	"outstanding", "entries", "deferrals", "answers",
}

// checkSchema refuses a database in which something is missing, and one that holds
// programs: triggers and views are not ours, and could change what is written.
func (s *Store) checkSchema(ctx context.Context) error {
	var programs, found int
	err := s.reader.QueryRowContext(ctx, `SELECT coalesce(sum(type IN ('trigger', 'view')), 0),
coalesce(sum(type = 'table' AND name IN ('`+strings.Join(tables[:], "', '")+`')), 0) FROM sqlite_schema`).Scan(&programs, &found)
	switch {
	case err != nil:
		return err
	case programs > 0:
		return &damage{why: "it has triggers or views, which no proctor makes"}
	case found != len(tables):
		return &damage{why: fmt.Sprintf("it has %d of %d tables", found, len(tables))}
	}
	return nil
}
