package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

func testNamed(name string) rerun.Entry {
	return rerun.Entry{Test: record.Test{Suite: "p", Test: name}}
}

func setOf(names ...string) rerun.Set {
	var s rerun.Set
	for _, n := range names {
		s.Entries = append(s.Entries, testNamed(n))
	}
	return s
}

// add is what a run does that found one more test red.
func add(name string) func(rerun.Set) rerun.Set {
	return func(s rerun.Set) rerun.Set {
		s.Entries = append(s.Entries, testNamed(name))
		return s
	}
}

func namesOf(s rerun.Set) string {
	var all string
	for _, e := range s.Entries {
		all += e.Test.Test
	}
	return all
}

// A record that cannot be written must not read as nothing outstanding.
func TestFinishTellsWhatIsOutstandingThoughItCannotWriteIt(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(sessions string) error
		want   string
	}{
		{"folder gone", os.RemoveAll, "BC"},
		{"no lock", func(d string) error {
			return errors.Join(os.Remove(filepath.Join(d, "one.lock")), os.Mkdir(filepath.Join(d, "one.lock"), 0o755))
		}, "AC"},
		{"slots damaged", func(d string) error { return os.WriteFile(filepath.Join(d, "one.json"), []byte("{"), 0o600) }, "AC"},
		{"outstanding tests damaged", func(d string) error {
			return os.WriteFile(filepath.Join(d, "one.outstanding.json"), []byte("{"), 0o600)
		}, "BC"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, "one")
			if _, err := s.Finish(t.Context(), newRun("go", "one"), rerun.Set{}, add("A")); err != nil {
				t.Fatal(err)
			}
			if err := tc.damage(filepath.Join(dir, ".proctor", "sessions")); err != nil {
				t.Fatal(err)
			}
			set, err := s.Finish(t.Context(), newRun("go", "one"), setOf("B"), add("C"))
			var store *session.StoreError
			if !errors.As(err, &store) || namesOf(set) != tc.want {
				t.Errorf("%s, %v; want %s and a StoreError", namesOf(set), err, tc.want)
			}
		})
	}
}

// Files removed under a run, as `git clean` does, take nothing from the set.
func TestFinishStartsFromWhatTheRunKnewWhereTheFileIsGone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	set, err := s.Finish(t.Context(), newRun("go", "one"), setOf("A"), add("B"))
	if err != nil || namesOf(set) != "AB" {
		t.Errorf("%s, %v; want AB", namesOf(set), err)
	}
	if stored, err := s.Outstanding("go"); err != nil || namesOf(stored) != "AB" {
		t.Errorf("stored: %s, %v", namesOf(stored), err)
	}
}

func TestLostOutstandingTestsMeanEverything(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	path := filepath.Join(dir, ".proctor", "sessions", "one.outstanding.json")
	if set, err := s.Outstanding("go"); err != nil || set.Len() != 0 {
		t.Errorf("before the first run: %+v, %v", set, err)
	}
	run := newRun("go", "one")
	if err := s.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if set, err := s.Outstanding("go"); err != nil || set.Len() != 0 {
		t.Errorf("during the first run: %+v, %v", set, err)
	}
	finished(t, s, run)
	if set, err := s.Outstanding("go"); err != nil || set.Len() != 0 {
		t.Errorf("after it: %+v, %v", set, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if set, err := s.Outstanding("go"); err != nil || set.Len() != 1 || set.Entries[0].Reason != rerun.ReasonRun {
		t.Errorf("file gone: %+v, %v; want the run as a whole", set, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var store *session.StoreError
	if set, err := s.Outstanding("go"); !errors.As(err, &store) || store.Path != path || set.Len() != 1 {
		t.Errorf("file damaged: %+v, %v", set, err)
	}
	if slot, ok, err := s.Slot("go"); err != nil || !ok || slot.RunID != run.RunID {
		t.Errorf("the slot needs that file: %+v, %t, %v", slot, ok, err)
	}
}

// A crash between the two files leaves the run as one that was killed.
func TestOutstandingTestsAreWrittenBeforeTheSlot(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	if err := s.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, ".proctor", "sessions", "one.json")
	_, err := s.Finish(t.Context(), run, rerun.Set{}, func(set rerun.Set) rerun.Set {
		// From here on, the slots cannot be replaced.
		raw, err := os.ReadFile(state)
		if err == nil {
			err = errors.Join(os.Remove(state), os.Mkdir(state, 0o755), os.WriteFile(filepath.Join(state, "kept"), raw, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		return add("A")(set)
	})
	var store *session.StoreError
	if !errors.As(err, &store) {
		t.Fatalf("err = %v, want a StoreError", err)
	}
	raw, err := os.ReadFile(filepath.Join(state, "kept"))
	if err = errors.Join(err, os.RemoveAll(state), os.WriteFile(state, raw, 0o600)); err != nil {
		t.Fatal(err)
	}
	if set, err := s.Outstanding("go"); err != nil || namesOf(set) != "A" {
		t.Errorf("outstanding: %s, %v; want A", namesOf(set), err)
	}
	if slot, _, err := s.Slot("go"); err != nil || len(slot.Running) != 1 {
		t.Errorf("slot = %+v, %v; want the run among those that did not end", slot, err)
	}
}
