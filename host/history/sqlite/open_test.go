package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

func TestAnyPathWorks(t *testing.T) {
	for _, name := range []string{"a b", "100%25", "what?mode=memory", "#1", "ä&b=c", "semi;colon", "'quote'"} {
		dir := filepath.Join(t.TempDir(), name)
		if runtime.GOOS == "windows" && strings.ContainsAny(name, `?"`) {
			continue // there is no such name
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name+".db")
		if err := writeRun(path, "run", 3); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if n := countResults(t, opened(t, path), "run"); n != 3 {
			t.Fatalf("%s has %d results", path, n)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALinkIsRefused(t *testing.T) {
	for _, suffix := range []string{"", "-wal", "-shm", ".lock", ".damaged"} {
		dir := t.TempDir()
		path, elsewhere := filepath.Join(dir, "history.db"), filepath.Join(dir, "elsewhere")
		testfiles.Write(t, elsewhere, "precious")
		if err := os.Symlink(elsewhere, path+suffix); err != nil {
			t.Fatal(err)
		}
		store, err := Open(t.Context(), Config{Path: path, Root: "/w"})
		if store != nil || err == nil || !strings.Contains(err.Error(), path+suffix+" is not a regular file") {
			t.Fatalf("%q: %v", suffix, err)
		}
		if kept, _ := os.ReadFile(elsewhere); string(kept) != "precious" {
			t.Fatalf("%q: what it leads to was changed", suffix)
		}
	}
}

func TestANewerDatabaseIsLeftAlone(t *testing.T) {
	path := filled(t)
	store := opened(t, path)
	if _, err := store.writer.ExecContext(t.Context(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	store.Close()
	before, _ := os.ReadFile(path)
	var newer *NewerError
	if _, err := Open(t.Context(), Config{Path: path, Root: "/w"}); !errors.As(err, &newer) || newer.Version != 99 {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Fatal("it was changed")
	}
}

func TestAnOlderDatabaseIsBroughtUpToDate(t *testing.T) {
	path := filled(t)
	store := opened(t, path)
	// As the first version made it.
	_, err := store.writer.ExecContext(t.Context(), "DROP INDEX tests_by_file_name; ALTER TABLE tests DROP COLUMN body; PRAGMA user_version = 1")
	if err == nil {
		_, err = store.writer.ExecContext(t.Context(), `INSERT INTO outstanding (workspace, language, value) VALUES (?, 'go', ?), (?, 'none', '{"entries":null}')`,
			store.workspace, []byte(`{"entries":[{"suite":"a","test":"T","reason":"failed","run_id":"1","last_run_id":"2","way":{"decides":["-race"]}},
{"suite":"b","test":"","reason":"suite","run_id":"1","last_run_id":"1"}],"known":{"a":["T","U"]}}`), store.workspace)
	}
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	again := opened(t, path)
	if n := countResults(t, again, "run"); n != 2000 {
		t.Fatalf("%d results", n)
	}
	if _, err := again.FilesNamed(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	want := outstanding.Set{
		Entries: []outstanding.Entry{
			{TestID: sdk.TestID{Suite: "a", Test: "T"}, Reason: "failed", RunID: "1", LastRunID: "2", Way: &outstanding.Way{Decides: []string{"-race"}}},
			{TestID: sdk.TestID{Suite: "b"}, Reason: "suite", RunID: "1", LastRunID: "1"},
		},
		Known: map[string][]string{"a": {"T", "U"}},
	}
	if set, known, _, err := again.Outstanding(t.Context(), "go"); err != nil || !known || !reflect.DeepEqual(set, want) {
		t.Errorf("%+v, %v, %v", set, known, err)
	}
	if set, known, _, err := again.Outstanding(t.Context(), "none"); err != nil || !known || set.Len() != 0 {
		t.Errorf("%+v, %v, %v", set, known, err)
	}
	sound(t, again)
}

func TestAMigrationIsAppliedWhollyOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	conn, err := openPool(dsn(path, "rwc", "immediate", lockedWait))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// Its last table is there already: the first migration fails after it has made the others.
	if _, err := conn.ExecContext(t.Context(), "CREATE TABLE answers (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if err := upgrade(t.Context(), path); err == nil || !strings.Contains(err.Error(), "00001_history.sql: ") {
		t.Fatal(err)
	}
	var version, entries int
	err = conn.QueryRowContext(t.Context(), "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&version, &entries)
	if err != nil || version != 0 || entries != 1 {
		t.Errorf("version %d, %d entries in the schema, %v", version, entries, err)
	}
}

func TestTheSchemaVersionIsThatOfTheLastMigration(t *testing.T) {
	names, err := migrations.ReadDir("migrations")
	if err != nil || len(names) != schemaVersion {
		t.Fatalf("%d migrations for schema %d, %v", len(names), schemaVersion, err)
	}
}

func TestAnotherProgramsDatabaseIsSetAside(t *testing.T) {
	path := filled(t)
	store := opened(t, path)
	if _, err := store.writer.ExecContext(t.Context(), "PRAGMA application_id = 1"); err != nil {
		t.Fatal(err)
	}
	store.Close()
	openDamaged(t, path)
}

func TestTheGitDirectoryDistinguishesWorkspaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	if err := writeRun(path, "run", 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		worktree string
		runs     int
	}{
		{"", 1},
		{"/w/.git", 1},            // became known
		{"", 1},                   // is not known now
		{"/other/worktrees/w", 0}, // is another
		{"/w/.git", 1},
	} {
		store, err := Open(t.Context(), Config{Path: path, Root: "/w", Worktree: c.worktree})
		if err != nil {
			t.Fatal(err)
		}
		runs, err := store.Runs(t.Context(), history.RunFilter{})
		store.Close()
		if err != nil || len(runs) != c.runs {
			t.Fatalf("%q: %d runs, %v", c.worktree, len(runs), err)
		}
	}
}

func TestACopyOfAnotherWorkspaceIsNeitherSeenNorErased(t *testing.T) {
	path := filled(t)
	copied, err := Open(t.Context(), Config{Path: path, Root: "/copy"})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := copied.Runs(t.Context(), history.RunFilter{})
	if len(runs) != 0 || err != nil {
		t.Fatal(runs, err)
	}
	_, known, lost, err := copied.Outstanding(t.Context(), "l")
	if known || lost || err != nil {
		t.Fatal(known, lost, err)
	}
	if err := copied.Remove(t.Context(), []string{"run"}, nil); err != nil {
		t.Fatal(err)
	}
	copied.Close()
	if n := countResults(t, opened(t, path), "run"); n != 2000 {
		t.Fatalf("%d results", n)
	}
}

func TestAnUnwritableLocationIsAPlainError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "history.db")
	store, err := Open(t.Context(), Config{Path: path, Root: "/w"})
	if store != nil || err == nil || strings.Count(err.Error(), "history.db:") != 1 {
		t.Fatal(err)
	}
}
