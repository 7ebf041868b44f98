package shard

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
)

func TestANoteOfSeveralShardsIsShownOnce(t *testing.T) {
	t.Parallel()
	note := func(text string) api.Note { return api.Note{Code: api.NoteProject, Text: text} }
	var m Merge
	for i, texts := range [][]string{{"here, too", "all", "one"}, {"all"}, {"here, too", "all", "two"}} {
		run := api.Run{Shard: &api.Shard{Index: i + 1, Of: 3}}
		for _, text := range texts {
			run.Warnings = append(run.Warnings, note(text))
		}
		m.Last = append(m.Last, Report{Run: run})
	}
	want := []api.Note{note("3 shards: all"), note("shard 1/3: one"), note("shard 3/3: two")}
	if diff := cmp.Diff(want, m.NotesBeside([]api.Note{note("here, too")})); diff != "" {
		t.Error(diff)
	}
}
