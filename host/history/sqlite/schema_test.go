package sqlite

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/history"
)

// changed makes a database and changes it behind proctor's back.
func changed(t *testing.T, statement string) Config {
	t.Helper()
	cfg := Config{Path: filepath.Join(t.TempDir(), "history.db"), Root: "/root", Worktree: "/root/.git"}
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", cfg.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestADatabaseWithProgramsOrWithoutATableIsSetAside(t *testing.T) {
	for _, statement := range []string{
		"CREATE TRIGGER t AFTER INSERT ON outstanding BEGIN DELETE FROM outstanding; END",
		"CREATE VIEW v AS SELECT 1",
		"DROP TABLE results",
	} {
		s, err := Open(t.Context(), changed(t, statement))
		if _, ok := errors.AsType[*history.SetAsideError](err); !ok || s == nil {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		if _, _, lost, err := s.Outstanding(t.Context(), "x"); err != nil || !lost {
			t.Errorf("%s: nothing is lost (%v)", statement, err)
		}
		s.Close()
	}
}

func TestAnotherGitDirectoryAtTheSamePathHasNoOutstandingSet(t *testing.T) {
	cfg := changed(t, "SELECT 1")
	cfg.Worktree = "/elsewhere.git"
	for range 2 {
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, known, lost, err := s.Outstanding(t.Context(), "x"); err != nil || known || !lost {
			t.Errorf("known %t, lost %t, %v", known, lost, err)
		}
		s.Close()
	}
}
