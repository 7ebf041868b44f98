package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/coverage/store"
)

func TestASuiteIsReadBackAsItWasWritten(t *testing.T) {
	s, _ := open(t)
	want := suiteOf("a", 5, 4)
	put(t, s, want)
	if diff := cmp.Diff(want, kept(t, s, "go", "plain")["a"]); diff != "" {
		t.Error(diff)
	}
}

func TestASuiteIsKeptInEachSetting(t *testing.T) {
	s, _ := open(t)
	put(t, s, suiteOf("a", 1, 1), suiteOf("b", 1, 1))
	race := suiteOf("a", 1, 2)
	race.Setting = "race"
	put(t, s, race)
	other := suiteOf("a", 1, 3)
	other.Language = "forge"
	put(t, s, other)
	for setting, want := range map[string]int{"plain": 2, "race": 1, "none": 0} {
		got := kept(t, s, "go", setting)
		if len(got) != want || want > 0 && len(got["a"].Tests) != 3-want {
			t.Errorf("%s: %v", setting, got)
		}
	}
	for setting, want := range map[string]string{"plain": "a", "race": "ab", "none": "ab"} {
		elsewhere, err := s.Elsewhere("go", setting)
		got := ""
		for _, suite := range []string{"a", "b", "c"} {
			if err == nil && elsewhere(suite) {
				got += suite
			}
		}
		if err != nil || got != want {
			t.Errorf("%s: measured elsewhere is %q, want %q; %v", setting, got, want, err)
		}
	}
	if got := kept(t, s, "forge", "plain"); len(got) != 1 || len(got["a"].Tests) != 3 {
		t.Errorf("another language: %v", got)
	}
}

func TestTheSettingsOfASuiteThatWereMeasuredLastAreKept(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("b", 1, 1))
	for i := range 7 {
		// Make the present files older, each by one second more than the next.
		for _, path := range paths(t, filepath.Join(dir, "suites")) {
			info, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			if old := info.ModTime().Add(-time.Second); os.Chtimes(path, old, old) != nil {
				t.Fatal("it cannot be made older")
			}
		}
		a := suiteOf("a", 1, 1)
		a.Setting = fmt.Sprint(i % 6)
		put(t, s, a)
	}
	for setting, want := range map[string]int{"0": 1, "1": 0, "2": 0, "3": 1, "4": 1, "5": 1} {
		if got := kept(t, s, "go", setting); len(got) != want {
			t.Errorf("setting %s: %v", setting, got)
		}
	}
	if got := kept(t, s, "go", "plain"); len(got) != 1 {
		t.Errorf("another suite: %v", got)
	}
}

func TestNothingIsKeptAtFirst(t *testing.T) {
	s, dir := open(t)
	if got := kept(t, s, "go", "plain"); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if size, err := s.Size(t.Context()); size != 0 || err != nil {
		t.Errorf("%d bytes, %v", size, err)
	}
	if err := s.Drop(t.Context(), "go", func(string) bool { return false }); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("who only asks made a directory: %v", err)
	}
}

func TestSuitesShareTheirSheets(t *testing.T) {
	s, dir := open(t)
	a, b := suiteOf("a", 4, 1), suiteOf("b", 4, 1)
	put(t, s, a, b)
	sheets, err := os.ReadDir(filepath.Join(dir, "sheets"))
	if err != nil || len(sheets) != 4+2 { // and one for the tests of each
		t.Errorf("%d files, %v", len(sheets), err)
	}
	got := kept(t, s, "go", "plain")
	for i := range 4 {
		if got["a"].Sheets[i] != got["b"].Sheets[i] {
			t.Errorf("sheet %d was read twice", i)
		}
	}
}

func TestSuitesThatAreNotWantedAreDropped(t *testing.T) {
	s, dir := open(t)
	other := suiteOf("a", 1, 1)
	other.Language = "forge"
	a := suiteOf("a", 1, 1)
	a.Setting = "race"
	put(t, s, a, suiteOf("b", 6, 1), other)
	for _, path := range paths(t, filepath.Join(dir, "sheets")) {
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Drop(t.Context(), "go", func(suite string) bool { return suite == "a" }); err != nil {
		t.Fatal(err)
	}
	if len(kept(t, s, "go", "race")) != 1 || len(kept(t, s, "go", "plain")) != 0 || len(kept(t, s, "forge", "plain")) != 1 {
		t.Error("a is to be kept, in any setting and language, and b is not")
	}
	if sheets := paths(t, filepath.Join(dir, "sheets")); len(sheets) != 2 {
		t.Errorf("%d sheets are left, and a has 2", len(sheets))
	}
}

func TestAYoungSheetIsNotSweptAway(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("a", 3, 1))
	if err := s.Drop(t.Context(), "go", func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if sheets := paths(t, filepath.Join(dir, "sheets")); len(sheets) != 4 {
		t.Errorf("%d of 4 sheets are left: a suite with them may be on its way", len(sheets))
	}
}

func TestSheetsDoNotPileUp(t *testing.T) {
	s, dir := open(t)
	old := time.Now().Add(-2 * time.Hour)
	aged := map[string]bool{}
	for i := range 20 {
		suite := suiteOf("a", 30, 0)
		for _, sheet := range suite.Sheets {
			sheet.Digest += fmt.Sprint("after edit ", i)
		}
		put(t, s, suite)
		for _, path := range paths(t, filepath.Join(dir, "sheets")) {
			if !aged[path] && os.Chtimes(path, old, old) == nil {
				aged[path] = true
			}
		}
	}
	if sheets := paths(t, filepath.Join(dir, "sheets")); len(sheets) > 550 {
		t.Errorf("%d sheets, 31 of them of one suite", len(sheets))
	}
	if got := kept(t, s, "go", "plain"); len(got) != 1 {
		t.Error("the suite itself was swept away")
	}
}

func TestManyProcessesCanReadAndWriteAtOnce(t *testing.T) {
	s, dir := open(t)
	var group sync.WaitGroup
	for i := range 4 {
		mine := store.New(store.Config{Dir: dir})
		group.Go(func() {
			for n := range 20 {
				if err := mine.Put(t.Context(), suiteOf(fmt.Sprint(n%5), 3, 20*i+n)); err != nil {
					t.Error(err)
				}
				if _, err := mine.Suites(t.Context(), "go", "plain"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := kept(t, s, "go", "plain"); len(got) != 5 {
		t.Errorf("%d of 5 suites", len(got))
	}
}

func TestWhatIsKeptIsTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // such modes are not supported
	}
	s, dir := open(t)
	put(t, s, suiteOf("a", 1, 1))
	for _, path := range append(paths(t, dir), dir, filepath.Join(dir, "sheets"), filepath.Join(dir, "suites")) {
		st, err := os.Lstat(path)
		if err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", strings.TrimPrefix(path, dir), st.Mode(), err)
		}
	}
}

func TestHclTakesLittleSpace(t *testing.T) {
	s, _ := open(t)
	for i := range 25 {
		put(t, s, suiteOf(fmt.Sprint("suite", i), 100, 6))
	}
	if size, err := s.Size(t.Context()); err != nil || size > 3<<20 {
		t.Errorf("%d bytes, %v", size, err)
	}
}

// BenchmarkSuites loads the equivalent of hashicorp/hcl: 25 suites with 150 tests, 100
// sheets, 31,500 pairs of a test and a block.
func BenchmarkSuites(b *testing.B) {
	s, _ := open(b)
	for i := range 25 {
		put(b, s, suiteOf(fmt.Sprint("suite", i), 100, 6))
	}
	for b.Loop() {
		if got, err := s.Suites(b.Context(), "go", "plain"); err != nil || len(got) != 25 {
			b.Fatal(len(got), err)
		}
	}
}
