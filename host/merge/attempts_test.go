package merge

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/shard"
)

// A merge on record is another one once an attempt in it has seen more fail, or if it was made
// by other rules.
func TestAnAttemptThatSawMoreMakesAnotherMerge(t *testing.T) {
	t.Parallel()
	s, err := artifacts.Open(artifacts.Config{Workspace: t.TempDir(), SessionID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	lost := api.Run{RunID: "lost", Verdict: api.Failed, Reason: "the machine was lost after 1 report of failures"}
	last := api.Run{RunID: "last", Verdict: api.Passed, DurationS: 0.1}
	run := api.Run{Schema: api.Schema, RunID: "abcdefghij", Language: "x", State: api.StateFinished, Verdict: api.Failed, Merged: &api.Merged{Rules: shard.Rules}}
	for _, r := range []api.Run{lost, last} {
		run.Merged.Shards = append(run.Merged.Shards, api.MergedShard{RunID: r.RunID, Verdict: r.Verdict, Reason: r.Reason, DurationS: r.DurationS})
	}
	finish(t, s, run)
	m := engine.Merged{RunID: run.RunID, Merge: shard.Merge{Last: []shard.Report{{Run: last}}, Earlier: []shard.Report{{Run: lost}}}}
	if isOfOthers(s, m) {
		t.Error("the same merge is taken for another")
	}
	older := run
	older.RunID, older.Merged = "bcdefghijk", &api.Merged{Shards: run.Merged.Shards}
	finish(t, s, older)
	if byOlder := (engine.Merged{RunID: older.RunID, Merge: m.Merge}); !isOfOthers(s, byOlder) {
		t.Error("a merge by older rules is shown as one by those of today")
	}
	if in := (&input{}); in.deriveRunID(shard.Rules, "x", m) == in.deriveRunID(shard.Rules-1, "x", m) {
		t.Error("merges by other rules have the same id")
	}
	m.Earlier[0].Reason = "the machine was lost after 2 reports of failures"
	if !isOfOthers(s, m) {
		t.Error("what came in since is not seen")
	}
}

// A file may hold any number of attempts.
func TestANoteNamesAFewOfManyAttempts(t *testing.T) {
	t.Parallel()
	attempt := func(n int) shard.Report {
		return shard.Report{Run: api.Run{Verdict: api.Failed, Shard: &api.Shard{Index: 1, Of: 1, Attempt: n}}}
	}
	m := shard.Merge{Last: []shard.Report{attempt(1000)}}
	for n := 1; n < 1000; n++ {
		m.Earlier = append(m.Earlier, attempt(n))
	}
	// The other language may have had no run in the last attempt.
	m.Void = []shard.Report{attempt(1000)}
	notes := noteAttempts(m)
	if len(notes) != 1 || len(notes[0].Text) > 300 || !strings.HasSuffix(notes[0].Text, " and 994 more") {
		t.Errorf("the notes are %.1000v", notes)
	}
}

func finish(t *testing.T, s *artifacts.Store, run api.Run) {
	t.Helper()
	rec, err := artifacts.NewRecorder(s, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
}
