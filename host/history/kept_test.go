package history_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func testStates(t *testing.T, open opener) {
	f := newFixture(t, open)
	var files []fingerprint.File
	for i := range 500 {
		files = append(files, fingerprint.File{Path: fmt.Sprintf("dir/file%04d", i), Mode: fingerprint.Mode(i % 4), Hash: fingerprint.Hash{byte(i), byte(i >> 8)}})
	}
	var states []fingerprint.State
	for n := range 5 {
		files = append([]fingerprint.File(nil), files...)
		files[n].Hash[5] = 1
		files = append(files[:50], files[51+100*(n/3):]...) // later it is another tree altogether
		states = append(states, fingerprint.State{
			ID: fingerprint.Identify(files), Kind: "git", Top: "/top", Commit: "c", Branch: "b", Worktree: "w", Dirty: n - 1, Files: files,
		})
	}
	states = append(states, fingerprint.State{ID: fingerprint.Identify(nil), Kind: "walk"})
	for range 2 {
		for _, s := range states {
			f.must(f.SaveState(t.Context(), s))
		}
	}
	f.must(f.SaveState(t.Context(), fingerprint.State{ID: states[0].ID, Kind: "another"}))
	for _, want := range states {
		got, ok, err := f.State(t.Context(), want.ID)
		f.must(err)
		same(t, "it is on record", ok, true)
		same(t, "the state", got, want)
	}
	_, ok, err := f.State(t.Context(), "none")
	f.must(err)
	same(t, "another is", ok, false)
	// A state just saved stays without a run: it is saved before its run refers to it.
	gone := f.run(nil, on(states[1].ID))
	f.must(f.Remove(t.Context(), []string{gone.ID}, nil))
	for _, want := range states {
		got, _, err := f.State(t.Context(), want.ID)
		f.must(err)
		same(t, "the state that was saved just now", got, want)
	}
}

func testOutstanding(t *testing.T, open opener) {
	f := newFixture(t, open)
	set, known, lost, err := f.Outstanding(t.Context(), "l")
	f.must(err)
	if known || lost || set.Len() > 0 {
		t.Fatal("something is known before the first update")
	}
	want := outstanding.Set{
		Entries: []outstanding.Entry{{TestID: sdk.TestID{Suite: "s|", Test: "a"}, Root: "r", Reason: outstanding.ReasonFailed, RunID: "1", LastRunID: "2", Args: "x\x01y"}},
		Known:   map[string][]string{"s|": {"a", "b"}},
	}
	got, err := f.UpdateOutstanding(t.Context(), "l", func(_ outstanding.Set, known, lost bool) outstanding.Set {
		same(t, "known", known || lost, false)
		return want
	})
	f.must(err)
	same(t, "what the update made", got, want)
	got, known, _, err = f.Outstanding(t.Context(), "l")
	f.must(err)
	same(t, "known", known, true)
	same(t, "what is outstanding", got, want)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, err := f.UpdateOutstanding(t.Context(), "l", func(set outstanding.Set, _, _ bool) outstanding.Set {
				set.Entries = append(set.Entries, outstanding.Entry{TestID: sdk.TestID{Test: fmt.Sprint(i)}})
				return set
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, _, _, err = f.Outstanding(t.Context(), "l")
	f.must(err)
	same(t, "entries", got.Len(), 21)
	_, known, _, err = f.Outstanding(t.Context(), "other")
	f.must(err)
	same(t, "another language is known", known, false)
	languages, lost, err := f.OutstandingLanguages(t.Context())
	f.must(err)
	same(t, "languages with a known set", languages, []string{"l"})
	same(t, "lost", lost, false)
}

func testEntries(t *testing.T, open opener) {
	f := newFixture(t, open)
	entry := func(session, file string, minute int) api.Entry {
		return api.Entry{
			File: file, Status: api.StatusFixed, SessionID: session, Timestamp: start.Add(time.Duration(minute) * time.Minute),
			Classification: api.Fixed,
		}
	}
	f.must(f.PutEntries(t.Context(), []api.Entry{entry("one", "b", 2), entry("one", "a", 1), entry("two", "a", 3)}, 10))
	again := entry("one", "b", 4)
	again.Status, again.Classification = api.StatusUnresolved, api.Regression
	f.must(f.PutEntries(t.Context(), []api.Entry{again}, 10))
	got, err := f.Entries(t.Context())
	f.must(err)
	same(t, "the entries", got, []api.Entry{entry("one", "a", 1), entry("two", "a", 3), again})
	f.must(f.PutEntries(t.Context(), []api.Entry{entry("three", "c", 5)}, 2))
	got, err = f.Entries(t.Context())
	f.must(err)
	same(t, "the newest entries", got, []api.Entry{again, entry("three", "c", 5)})
}

func testDeferrals(t *testing.T, open opener) {
	f := newFixture(t, open)
	one := history.Deferral{
		TestKey: history.TestKey{Language: "l", TestID: sdk.TestID{Suite: "s", Test: "a|("}}, File: "f", Digest: "d", SessionID: "x", At: start, Reason: "why",
	}
	two := history.Deferral{TestKey: history.TestKey{Language: "l", TestID: sdk.TestID{Suite: "s"}}}
	f.must(f.Defer(t.Context(), one))
	f.must(f.Defer(t.Context(), two))
	one.Reason, one.Digest = "another", "e"
	f.must(f.Defer(t.Context(), one))
	got, err := f.Deferrals(t.Context())
	f.must(err)
	same(t, "the deferrals", got, []history.Deferral{two, one})
	f.must(f.Undefer(t.Context(), two.TestKey))
	f.must(f.Undefer(t.Context(), two.TestKey))
	got, err = f.Deferrals(t.Context())
	f.must(err)
	same(t, "what is left", got, []history.Deferral{one})
}

func testAnswers(t *testing.T, open opener) {
	f := newFixture(t, open)
	_, ok, err := f.Get(t.Context(), "a")
	f.must(err)
	same(t, "an answer before there is one", ok, false)
	for _, value := range [][]byte{{0, 1, 255}, {}, []byte("text")} {
		f.must(f.Put(t.Context(), "a", value))
		got, ok, err := f.Get(t.Context(), "a")
		f.must(err)
		same(t, "it is there", ok, true)
		same(t, "the answer", got, value)
	}
	f.must(f.PutAll(t.Context(), map[string][]byte{"a": []byte("one"), "b": []byte("two")}))
	for key, want := range map[string]string{"a": "one", "b": "two"} {
		got, ok, err := f.Get(t.Context(), key)
		f.must(err)
		same(t, "it is there", ok, true)
		same(t, "one of several answers", string(got), want)
	}
	f.must(f.Put(t.Context(), "nothing", nil))
	_, ok, err = f.Get(t.Context(), "nothing")
	f.must(err)
	same(t, "an empty answer is there", ok, true)
}

func testDroppedAnswers(t *testing.T, open opener) {
	f := newFixture(t, open)
	keys := []string{"for ever", "while/", "while/a", "while/ÿ\U0010FFFE", "while", "whilst"}
	there := func() (left []string) {
		for _, key := range keys {
			_, ok, err := f.Get(t.Context(), key)
			f.must(err)
			if ok {
				left = append(left, key)
			}
		}
		return left
	}
	for _, key := range keys {
		f.must(f.Put(t.Context(), key, nil))
	}
	f.must(f.DropAnswers(t.Context(), "while/", time.Now().Add(-time.Hour)))
	same(t, "what is not too old", there(), keys)
	f.must(f.DropAnswers(t.Context(), "while/", time.Now().Add(time.Hour)))
	same(t, "what has another key", there(), []string{"for ever", "while", "whilst"})
}
