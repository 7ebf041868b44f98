package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// filled makes a database with a run of 2,000 results and an outstanding set, and closes it.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	if err := writeRun(path, "run", 2000); err != nil {
		t.Fatal(err)
	}
	store := opened(t, path)
	defer store.Close()
	_, err := store.UpdateOutstanding(t.Context(), "l", func(s outstanding.Set, _, _ bool) outstanding.Set { return s })
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileThatIsNotADatabaseIsSetAside(t *testing.T) {
	for name, content := range map[string][]byte{
		"text":         []byte(strings.Repeat("this is no database\n", 1000)),
		"short":        []byte("x"),
		"empty":        {},
		"another kind": append([]byte("SQLite format 3\x00"), make([]byte, 5000)...),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.db")
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			aside := openDamaged(t, path)
			kept, err := os.ReadFile(aside.Aside)
			if err != nil || !bytes.Equal(kept, content) {
				t.Fatalf("it was not kept as it was: %v", err)
			}
			if !strings.HasPrefix(aside.Aside, path+".corrupt-") || aside.Path != path {
				t.Fatalf("%+v", aside)
			}
		})
	}
}

// openDamaged opens a database that has to be set aside, and checks that the new one works
// and knows that there was another.
func openDamaged(t *testing.T, path string) *history.SetAsideError {
	t.Helper()
	store, err := Open(t.Context(), Config{Path: path, Root: "/w"})
	var aside *history.SetAsideError
	if !errors.As(err, &aside) || store == nil {
		t.Fatalf("it was not set aside: %v", err)
	}
	store.Close()
	again := opened(t, path) // says nothing any more
	_, known, lost, err := again.Outstanding(t.Context(), "l")
	if known || !lost || err != nil {
		t.Fatalf("known %v, lost %v, %v", known, lost, err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if err := writeRun(path, "next", 10); err != nil {
		t.Fatal(err)
	}
	return aside
}

func TestATruncatedDatabaseIsSetAside(t *testing.T) {
	path := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 50, 99, 100, 1000, 4096, 8192, len(whole) / 2, len(whole) - 4096} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.db")
			if err := os.WriteFile(path, whole[:size], 0o644); err != nil {
				t.Fatal(err)
			}
			use(t, path)
			openDamaged(t, path)
		})
	}
}

// use opens a database that may be damaged and reads all of it, to find damage that does not
// keep it from being opened. It reports whether it found any.
func use(t *testing.T, path string) (failed bool) {
	t.Helper()
	store, err := Open(t.Context(), Config{Path: path, Root: "/w"})
	if aside, ok := errors.AsType[*history.SetAsideError](err); ok {
		store.Close()
		restore(t, aside)
		return true
	}
	if err != nil {
		t.Fatalf("it was neither opened nor set aside: %v", err)
	}
	defer store.Close()
	return errors.Join(readAll(t.Context(), store)...) != nil
}

// restore undoes that a database was set aside, so that the next open sees it.
func restore(t *testing.T, aside *history.SetAsideError) {
	t.Helper()
	if err := os.Rename(aside.Aside, aside.Path); err != nil {
		t.Fatal(err)
	}
}

func readAll(ctx context.Context, store history.Store) []error {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	note(store.Results(ctx, "run", func(history.Result) bool { return true }))
	_, err := store.Suspects(ctx, history.SuspectFilter{Both: true})
	note(err)
	for i := 0; i < 2000; i += 20 {
		filter := history.TimelineFilter{Language: "l", Tests: []sdk.TestID{numbered(i).TestID}}
		note(store.Timeline(ctx, filter, func(history.Timeline) bool { return true }))
	}
	_, err = store.Tests(ctx, history.TestFilter{})
	note(err)
	note(store.Remove(ctx, []string{"run"}, nil))
	return errs
}

func TestDamagedPagesNeverPassUnseen(t *testing.T) {
	path := filled(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	seen, step := 0, 3
	if testbin.HasRaceDetector() {
		step = 20
	}
	for offset := 0; offset+page <= len(whole); offset += page * step {
		path := filepath.Join(t.TempDir(), "history.db")
		damaged := bytes.Clone(whole)
		for i := range page {
			damaged[offset+i] ^= 0xa5
		}
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		store, err := Open(t.Context(), Config{Path: path, Root: "/w"})
		var aside *history.SetAsideError
		switch {
		case errors.As(err, &aside):
			seen++
			kept, _ := os.ReadFile(aside.Aside)
			if !bytes.Equal(kept, damaged) {
				t.Fatalf("page %d: it was not kept as it was", offset/page)
			}
			store.Close()
			continue
		case err != nil:
			t.Fatalf("page %d: %v", offset/page, err)
		}
		err = errors.Join(readAll(t.Context(), store)...)
		store.Close()
		if err == nil {
			continue // a page that nobody asked for
		}
		seen++
		if !isDamage(err) {
			t.Fatalf("page %d: %v", offset/page, err)
		}
		store, err = Open(t.Context(), Config{Path: path, Root: "/w"})
		if !errors.As(err, &aside) {
			t.Fatalf("page %d was found damaged, and opened again: %v", offset/page, err)
		}
		store.Close()
	}
	if seen == 0 {
		t.Fatal("no damage was seen")
	}
	t.Logf("%d of %d damaged databases were set aside", seen, len(whole)/page/step)
}

func TestADamagedDatabaseIsSetAsideOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	testfiles.Write(t, path, strings.Repeat("garbage ", 2000))
	results := make(chan error)
	const openers = 16
	for range openers {
		go func() {
			store, err := Open(t.Context(), Config{Path: path, Root: "/w"})
			if store != nil {
				store.Close()
			}
			results <- err
		}()
	}
	set := 0
	for range openers {
		err := <-results
		if _, ok := errors.AsType[*history.SetAsideError](err); ok {
			set++
		} else if err != nil {
			t.Error(err)
		}
	}
	names, _ := filepath.Glob(path + ".corrupt-*")
	if set != 1 || len(names) != 1 {
		t.Fatalf("it was set aside %d times: %v", set, names)
	}
}

func TestALogWithoutItsDatabaseIsSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	testfiles.Write(t, path+"-wal", "of another database")
	aside := openDamaged(t, path)
	if kept, err := os.ReadFile(aside.Aside + "-wal"); err != nil || string(kept) != "of another database" {
		t.Fatalf("%q, %v", kept, err)
	}
}

func TestASecondDamageGetsANameOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	names := map[string]bool{}
	for range 3 {
		testfiles.Write(t, path, "garbage")
		names[openDamaged(t, path).Aside] = true
	}
	if len(names) != 3 {
		t.Fatalf("%v", names)
	}
}
