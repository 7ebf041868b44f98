package covering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/host/git"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/linediff"
	"github.com/proctorhq/proctor/host/sources"
)

// CoveringDiff says which tests execute the lines changed since a revision; for a
// removed line, those that execute its neighbors. An invalid revision is a
// [*api.UsageError].
func CoveringDiff(ctx context.Context, k *ledger.Keeper, req api.CoveringRequest) (api.CoveringDiff, error) {
	rev := cmp.Or(req.Base, "HEAD")
	root, err := k.Root(ctx, req.Where)
	if err != nil {
		return api.CoveringDiff{}, err
	}
	cfg, _ := ledger.WatchConfig(ctx, k, req.Where)
	d, err := sources.Since(ctx, cfg, root, rev)
	if err != nil {
		return api.CoveringDiff{}, err
	}
	answer := api.CoveringDiff{
		Schema: api.CoveringDiffSchema, Workspace: root, Base: d.Base, FilesTotal: len(d.Changes),
		Files: []api.Covering{}, Tests: []api.CoveringTest{}, Granularity: api.GranularityTest,
	}
	if len(d.Changes) == 0 {
		answer.Message = "nothing has changed since " + d.Base
		if req.Language != "" {
			_, err = k.Projects(ctx, req.Where, []string{req.Language}) // there must be one
		}
		return answer, err
	}
	known, err := loadCoverage(ctx, k, req.Where, req.Language)
	if err != nil {
		return answer, err
	}
	answer.Warnings = known.warnings
	known.warnings = nil
	base := git.New(cfg.Git, cfg.Env).In(root)
	for _, c := range d.Changes[:min(len(d.Changes), ledger.MaxChangedFiles)] {
		one, err := known.answerChanged(ctx, base, d.Commit, c)
		if err != nil {
			return answer, err
		}
		answer.Files = append(answer.Files, one)
		for _, text := range coverage.StateWarnings(one) {
			if note := (api.Note{Code: api.NoteCoverage, Text: text}); !slices.Contains(answer.Warnings, note) {
				answer.Warnings = append(answer.Warnings, note)
			}
		}
	}
	if left := len(d.Changes) - len(answer.Files); left > 0 {
		answer.Warnings = append(answer.Warnings, api.Note{
			Code: api.NotePartly, Text: fmt.Sprintf("%d of %d changed files were left out", left, len(d.Changes)),
			Advice: api.Advice{Operation: api.AdviseRunAffected},
		})
	}
	uniteTests(&answer)
	limit := api.ClampCoveringLimit(req.Limit)
	answer.Tests = answer.Tests[:min(len(answer.Tests), limit)]
	for i := range answer.Files {
		answer.Files[i].Tests = answer.Files[i].Tests[:min(len(answer.Files[i].Tests), limit)]
	}
	return answer, nil
}

// answerChanged answers about the lines of a file that differ from those of a commit.
func (k *knownCoverage) answerChanged(ctx context.Context, base git.Git, commit string, c affected.Change) (api.Covering, error) {
	var ranges []coverage.Range
	if !c.Added && !c.Removed {
		before, err := readBlob(ctx, base, commit, c.Path)
		if err != nil {
			return api.Covering{}, err
		}
		ranges = changedLines(coverage.HashLines(before), k.digests.Lines(c.Path))
	}
	answer, err := k.answer(ctx, c.Path, ranges)
	answer.Schema, answer.Lines = api.CoveringSchema, formatRanges(ranges)
	return answer, err
}

// readBlob returns a file's content in a commit; nil if it is too large for a source.
func readBlob(ctx context.Context, base git.Git, commit, path string) ([]byte, error) {
	out, err := base.Run(ctx, "cat-file", "blob", commit+":./"+path)
	var failed *git.Error
	switch {
	case errors.As(err, &failed) && ctx.Err() == nil:
		return nil, nil // it was a link or a submodule: all of it counts as changed
	case err != nil:
		return nil, err
	case len(out) > sources.MaxSource:
		return nil, nil
	}
	return out, nil
}

// changedLines returns the new lines, and those on both sides of removed ones.
func changedLines(before, now []uint32) []coverage.Range {
	was := linediff.Map(before, now)
	var ranges []coverage.Range
	add := func(line int) {
		if line < 1 || line > len(now) {
			return
		}
		if n := len(ranges); n > 0 && ranges[n-1].Last >= line-1 {
			ranges[n-1].Last = max(ranges[n-1].Last, line)
			return
		}
		ranges = append(ranges, coverage.Range{First: line, Last: line})
	}
	last := 0 // the earlier line of the last unchanged one
	for i, line := range was {
		switch {
		case line == 0:
			add(i + 1)
			continue
		case line != last+1 && (i == 0 || was[i-1] != 0): // removed, and nothing written in its place
			add(i)
			add(i + 1)
		}
		last = line
	}
	if last < len(before) && (len(was) == 0 || was[len(was)-1] != 0) {
		add(len(now))
	}
	return ranges
}

// formatRanges formats ranges as users write them.
func formatRanges(ranges []coverage.Range) string {
	var words []string
	for _, r := range ranges {
		if r.First == r.Last {
			words = append(words, fmt.Sprint(r.First))
			continue
		}
		words = append(words, fmt.Sprintf("%d-%d", r.First, r.Last))
	}
	return strings.Join(words, ",")
}

// uniteTests collects the tests of all files, keeping the most precise entry of each.
func uniteTests(answer *api.CoveringDiff) {
	type key struct{ language, suite, test string }
	at := map[key]int{}
	for _, file := range answer.Files {
		answer.Granularity = coarser(answer.Granularity, file.Granularity)
		answer.Stale = answer.Stale || file.Stale
		answer.Advice = cmp.Or(answer.Advice, file.Advice)
		for _, t := range file.Tests {
			t.Lines = nil // they belong to one file
			k := key{t.Language, t.Suite, t.Test}
			i, ok := at[k]
			switch {
			case !ok:
				at[k] = len(answer.Tests)
				answer.Tests = append(answer.Tests, t)
			case isKnownBetter(t, answer.Tests[i]):
				answer.Tests[i] = t
			}
		}
	}
	answer.Tests = withoutParts(answer.Tests)
	slices.SortStableFunc(answer.Tests, func(a, b api.CoveringTest) int {
		return cmp.Or(rankExactness(a.Granularity)-rankExactness(b.Granularity), cmp.Compare(a.Blocks, b.Blocks), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	answer.Total = len(answer.Tests)
	answer.Message = summarize(*answer)
}
