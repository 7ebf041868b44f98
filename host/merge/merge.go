package merge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/portable"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/shard"
)

// Merge merges the reports of shards, for each language separately, and records what they
// prove as runs. Merging the same reports again by the same rules yields the same run. After an error,
// nothing was recorded for a language.
func Merge(ctx context.Context, k *ledger.Keeper, req api.MergeRequest, listeners ...api.Listener) ([]api.Run, error) {
	switch {
	case len(req.Paths) == 0:
		return nil, &api.UsageError{Reason: "no report was given", Fix: portable.NameReports}
	case req.Expect < 0:
		return nil, &api.UsageError{Reason: fmt.Sprintf("there cannot be %d shards", req.Expect), Fix: "expect as many as ran"}
	}
	files, err := portable.ReadFiles(ctx, req.Paths, k.Cfg.Now())
	if err == nil {
		err = files.OpenArchives(ctx, k, req.Where)
	}
	if err != nil {
		return nil, err
	}
	in := sortByLanguage(files)
	if len(in.reports) == 0 {
		reason := "there is no report of a shard"
		if problems := files.AllProblems(); len(problems) > 0 {
			reason += ": " + prose.Listed(problems, len(problems), maxShown, prose.Line)
		}
		return nil, &api.UsageError{Reason: reason, Fix: portable.NameReports}
	}
	languages := slices.Sorted(maps.Keys(in.reports))
	projects, err := k.Projects(ctx, req.Where, languages)
	if err != nil {
		return nil, err
	}
	var runs []api.Run
	for _, p := range projects {
		run, err := in.merge(ctx, k, p, req, listeners)
		if err != nil {
			return runs, err
		}
		runs, req.RunID = append(runs, run), ""
	}
	return runs, nil
}

// input is what was read of the files of shards.
type input struct {
	// reports are the runs by language, in the order in which they were read; sums
	// identify them.
	reports map[string][]shard.Report
	sums    map[string][][sha256.Size]byte
	// problems say what could not be read or believed, ignored names other files.
	problems, ignored []string
}

func sortByLanguage(files *portable.Files) *input {
	in := &input{reports: map[string][]shard.Report{}, sums: map[string][][sha256.Size]byte{}, problems: files.Problems, ignored: files.Ignored}
	add := func(language string, r portable.Report) {
		in.reports[language] = append(in.reports[language], shard.Report{File: r.File, Run: r.Run})
		in.sums[language] = append(in.sums[language], r.Sum)
	}
	for _, r := range files.Reports {
		add(r.Language, r)
	}
	for language := range in.reports {
		for _, r := range files.NoRuns {
			add(language, r)
		}
	}
	return in
}

// maxShown is how many problems an error names.
const maxShown = 5

// merge merges the shards of one language.
func (in *input) merge(ctx context.Context, k *ledger.Keeper, p project.Project, req api.MergeRequest, listeners api.Listeners) (api.Run, error) {
	store, err := k.Store(p.Root.Path)
	if err != nil {
		return api.Run{}, err
	}
	language := p.ID.Language
	m := engine.Merged{Merge: shard.Of(in.reports[language], req.Expect), Origin: originOf(req.Paths), Took: req.Took}
	m.Problems = slices.Concat(in.problems, m.Problems)
	if len(in.ignored) > 0 {
		m.Notes = api.Notes(api.NotePartly, "not read: "+prose.Listed(in.ignored, len(in.ignored), maxShown, prose.Line))
	}
	m.Notes = append(m.Notes, noteAttempts(m.Merge)...)
	release, doubts, err := ledger.LockRuns(ctx, k, store, "", listeners)
	if err != nil {
		return api.Run{}, err
	}
	defer release()
	m.Notes = append(m.Notes, doubts...)
	record, err := ledger.OpenForRun(ctx, k, store)
	if err != nil {
		return api.Run{}, err
	}
	if m.Here, m.Seen = findState(ctx, k, record, p, m.Merge, req.Paths); m.Here {
		missing, err := in.missingLanguages(ctx, k, p, m.Merge)
		if err != nil {
			return api.Run{}, err
		}
		m.Problems = append(m.Problems, missing...)
	}
	if m.RunID = req.RunID; m.RunID == "" || isOfOthers(record.Artifacts, m) {
		m.RunID = in.deriveRunID(shard.Rules, language, m)
	}
	earlier, err := findEarlier(ctx, record, m.RunID)
	if err != nil || earlier.RunID != "" {
		if err == nil {
			listeners.Listen(&api.RunFinished{Run: earlier, Record: artifacts.RecordOf(record.Artifacts, earlier.RunID)})
		}
		return earlier, err
	}
	return engine.ConductMerge(ctx, k, p, record, m, listeners...)
}

// missingLanguages names the languages of the workspace that no shard has a report of, if the
// shards were to test all.
func (in *input) missingLanguages(ctx context.Context, k *ledger.Keeper, p project.Project, m shard.Merge) (missing []string, err error) {
	if !slices.ContainsFunc(m.Last, func(r shard.Report) bool { return r.Shard.EveryLanguage }) {
		return nil, nil
	}
	all, err := k.Projects(ctx, api.Where{Dir: p.Root.Path, Exact: true}, nil)
	for _, other := range all {
		if len(in.reports[other.ID.Language]) == 0 {
			missing = append(missing, "no report is of "+other.ID.Language+", although the workspace has a project of it: its plugin was missing, or its runs were left out")
		}
	}
	return missing, err
}

// originOf names where shards came from.
func originOf(paths []string) string {
	return prose.Listed(paths, len(paths), 1, func(path string) string { return ledger.Excerpt(filepath.Base(path)) })
}

// maxCounted is the largest number of an attempt that counts attempts: in GitLab it is the
// id of a job.
const maxCounted = 100

// noteAttempts says which shards had several attempts, and which earlier ones have no
// report.
func noteAttempts(m shard.Merge) []api.Note {
	var notes []api.Note
	for _, last := range m.Last {
		var earlier, lost []string
		came := map[int]bool{}
		for _, r := range slices.Concat(m.Void, m.Earlier) {
			if r.Shard.Index == last.Shard.Index && r.Shard.Attempt < last.Shard.Attempt {
				earlier = append(earlier, fmt.Sprintf("attempt %d (%s)", r.Shard.Attempt, r.Verdict.Words()))
				came[r.Shard.Attempt] = true
			}
		}
		for _, r := range m.Others {
			if r.Shard != nil && r.Shard.Index == last.Shard.Index {
				came[r.Shard.Attempt] = true
			}
		}
		for n := 1; n < last.Shard.Attempt && last.Shard.Attempt <= maxCounted; n++ {
			if !came[n] {
				lost = append(lost, strconv.Itoa(n))
			}
		}
		note := func(format string, args ...any) {
			notes = append(notes, api.Note{Code: api.NoteMerge, Text: fmt.Sprintf("shard %s: ", last.Shard) + fmt.Sprintf(format, args...)})
		}
		if len(earlier) > 0 {
			note("attempt %d replaces %s", last.Shard.Attempt, prose.Listed(earlier, len(earlier), maxShown, prose.Line))
		}
		if len(lost) > 0 {
			which, them := "attempt", "it"
			if len(lost) > 1 {
				which, them = "attempts", "them"
			}
			note("what %s %s showed is unknown: there is no report of %s", which, prose.Listed(lost, len(lost), maxShown, prose.Line), them)
		}
	}
	return notes
}

// findState reports whether the sources here are those of the shards, besides the reports
// themselves, and what is known of their state.
func findState(ctx context.Context, k *ledger.Keeper, record *ledger.Ledger, p project.Project, m shard.Merge, paths []string) (here bool, seen *ledger.Seen) {
	if !m.OneState || len(m.Others) > 0 || len(m.Last) == 0 {
		return false, nil
	}
	source := m.Last[0].Source
	cfg := record.SourceConfig(ctx)
	cfg.Outputs = append(cfg.Outputs, portable.Within(p.Root.Path, paths...)...)
	if now, err := fingerprint.Take(ctx, cfg); err == nil && now.State.ID == source.Fingerprint {
		return true, &ledger.Seen{State: now.State, Source: ledger.SourceOf(now.State)}
	}
	if source.Commit == "" || source.Dirty != 0 {
		return false, nil
	}
	state, err := fingerprint.OfCommit(ctx, k.SourceConfig(p.Root.Path), source.Commit)
	if err != nil || state.ID != source.Fingerprint {
		return false, nil
	}
	return false, &ledger.Seen{State: state, Source: ledger.SourceOf(state)}
}

// deriveRunID derives the id of a merge from its reports and the rules, so that the same
// merge is recognized.
func (in *input) deriveRunID(rules int, language string, m engine.Merged) string {
	sums := slices.Clone(in.sums[language])
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	all := sha256.New()
	fmt.Fprintf(all, "%d\x00%s\x00%d\x00%t\x00%q\x00", rules, language, m.Of, m.Here, m.Problems)
	for _, sum := range sums {
		all.Write(sum[:])
	}
	return artifacts.RunIDOf(all.Sum(nil))
}

// isOfOthers reports whether the run of the id on record is a merge of other attempts, some
// of which came later, or by other rules.
func isOfOthers(s *artifacts.Store, m engine.Merged) bool {
	run, err := s.Object(m.RunID)
	if err != nil || run.State != api.StateFinished {
		return false // there is none, or the remains of one that was killed
	}
	if run.Merged == nil || run.Merged.Rules != shard.Rules {
		return true
	}
	// An attempt keeps its id while what a lost machine had seen still comes in.
	was, now := map[string]bool{}, map[string]bool{}
	for _, one := range run.Merged.Shards {
		was[attemptKey(one.RunID, one.Verdict, one.Reason, one.DurationS)] = true
	}
	for _, r := range slices.Concat(m.Last, m.Others, m.Earlier, m.Void) {
		now[attemptKey(r.RunID, r.Verdict, r.Reason, r.DurationS)] = true
	}
	return !maps.Equal(was, now)
}

// attemptKey identifies what an attempt reported.
func attemptKey(id string, v api.Verdict, reason string, seconds float64) string {
	return fmt.Sprintf("%s %s %q %g", id, v, reason, seconds)
}

// findEarlier finds the same merge on record; the run is empty if there is none. The
// remains of one that was killed are removed.
func findEarlier(ctx context.Context, led *ledger.Ledger, id string) (api.Run, error) {
	run, err := led.Artifacts.Object(id)
	if err != nil {
		return api.Run{}, nil
	}
	row, err := led.History.Run(ctx, id)
	if err != nil || row.State != api.StateFinished || run.State != api.StateFinished || run.Merged == nil {
		return api.Run{}, errors.Join(led.RemoveRuns(ctx, id), artifacts.RemoveRun(led.Artifacts, id))
	}
	run.Message = "already on record as run " + id + ": nothing has changed"
	return run, nil
}
