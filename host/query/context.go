package query

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// Context returns what an agent should know at the start of a session: the files that keep
// failing, and those that regressed. It starts no plugin. Without a record it is empty.
func Context(ctx context.Context, k *ledger.Keeper, where api.Where) (api.Context, error) {
	led, err := ledger.OpenSetsAt(ctx, k, where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return classify.Context(nil, nil), nil
	}
	if err != nil {
		return api.Context{}, err
	}
	now, err := standing.JudgeSpots(ctx, led)
	if err != nil {
		return api.Context{}, err
	}
	note := classify.Context(now.Spots(), now.Namesakes)
	languages := now.Languages
	if len(languages) == 0 { // no run is on record, but a set may be
		if languages, err = led.Languages(ctx); err != nil {
			return api.Context{}, err
		}
	}
	for _, language := range languages {
		set, err := led.Outstanding(ctx, language)
		if err != nil {
			continue
		}
		note.OutstandingCounts.Add(set.Counts())
		note.Outstanding = note.OutstandingCounts.Total()
		entries := set.Distinct()
		first := entries[:min(len(entries), max(standing.SpotTests-len(note.OutstandingTests), 0))]
		note.OutstandingTests = append(note.OutstandingTests, nameTests(ctx, led, language, first)...)
	}
	findMissing(led, &note)
	classify.AddDetails(&note)
	return note, ctx.Err()
}

// maxTestFile bounds a file that is searched for a test's name, in bytes.
const maxTestFile = 4 << 20

// findMissing finds the failing tests in the note whose names no longer occur in their
// files.
func findMissing(led *ledger.Ledger, note *api.Context) {
	for _, spots := range [][]api.Spot{note.Recurring, note.Regressions, note.Flaky} {
		for i := range spots[:min(len(spots), standing.SpotTests)] {
			s := &spots[i]
			if s.Failing == nil || !filepath.IsLocal(filepath.FromSlash(s.File)) {
				continue
			}
			told := *s.Failing
			told.Missing = lacksName(led, s.File, told.Test)
			s.Failing = &told
		}
	}
}

// nameTests returns outstanding tests, and whether their names still occur in their
// files.
func nameTests(ctx context.Context, led *ledger.Ledger, language string, entries []outstanding.Entry) []api.NamedTest {
	var ids []sdk.TestID
	for _, e := range entries {
		ids = append(ids, e.TestID)
	}
	files := map[sdk.TestID]string{}
	if len(ids) > 0 {
		_ = standing.Timelines(ctx, led, history.TimelineFilter{Language: language, Tests: ids, Points: 1}, func(t history.Timeline) {
			files[t.TestKey.TestID] = t.File
		}) // on failure nothing counts as missing
	}
	var named []api.NamedTest
	for _, e := range entries {
		file := files[e.TestID]
		local := file != "" && filepath.IsLocal(filepath.FromSlash(file))
		named = append(named, api.NamedTest{TestID: e.TestID, Missing: local && e.Test != "" && lacksName(led, file, ledger.RootOf(e))})
	}
	return named
}

// lacksName reports whether a file of the workspace is gone, or has no line with a
// test's name.
func lacksName(led *ledger.Ledger, file, test string) bool {
	path := filepath.Join(led.Artifacts.Workspace(), filepath.FromSlash(file))
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxTestFile {
		return errors.Is(err, fs.ErrNotExist)
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTestFile))
	name := ledger.PlainTestName(test)
	return err == nil && name != "" && !ledger.HasWord(string(text), name)
}
