package query

import (
	"context"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// Runs lists the recorded runs, newest first, including those in progress and those
// that were killed. It starts no plugin.
func Runs(ctx context.Context, k *ledger.Keeper, req api.RunsRequest) (api.Runs, error) {
	answer := api.Runs{Schema: api.RunsSchema, Runs: []api.RunLine{}}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if err != nil {
		return answer, err
	}
	answer.Warnings = led.Warnings()
	all, err := led.AllRuns(ctx)
	if err != nil {
		return answer, err
	}
	prefixes := prefixesOf(all)
	if req.Session == api.ThisSession {
		req.Session = led.Artifacts.SessionID()
	}
	limit := api.DefaultRunsLimit
	if req.Limit != 0 {
		limit = min(max(req.Limit, 1), api.MaxRunsLimit)
	}
	for _, run := range all {
		if req.Session != "" && run.SessionID != req.Session || req.Language != "" && run.Language != req.Language {
			continue
		}
		if answer.Total++; len(answer.Runs) < limit {
			answer.Runs = append(answer.Runs, makeRunLine(led, run, prefixes[run.ID]))
		}
	}
	return answer, ctx.Err()
}

// makeRunLine converts a run for a list.
func makeRunLine(led *ledger.Ledger, run history.Run, prefix string) api.RunLine {
	line := api.RunLine{
		RunID: run.ID, Prefix: prefix, SessionID: run.SessionID, Kind: run.Kind, State: run.State, Language: run.Language,
		Verdict: run.Verdict, Reason: run.Reason, StartedAt: run.StartedAt, DurationS: run.Duration.Seconds(),
		AgeS: timeSince(led.Keeper, run).Seconds(), Counts: run.Counts, Outstanding: run.Outstanding, Whole: run.Whole,
		MixedState: run.MixedState, Origin: run.Origin,
	}
	object, err := led.Artifacts.Object(run.ID)
	line.Source = sourceIn(run, object, err)
	line.Partial = isPartial(run, object, err)
	if run.State == api.StateRunning {
		line.DurationS = line.AgeS
		if !led.Artifacts.Alive(run.ID) {
			line.NoEnd, line.State, line.Verdict = true, api.StateFinished, api.Incomplete
			line.DurationS = 0 // it is unknown when it ended
		}
	}
	if line.Verdict == api.Incomplete && line.DurationS == 0 && artifacts.IsUnwritten(led.Artifacts, run.ID) {
		line.NoEnd, line.Unwritten = false, true
	}
	return line
}

// describeSource returns the source state of a run, as far as known.
func describeSource(led *ledger.Ledger, run history.Run) *api.Source {
	object, err := led.Artifacts.Object(run.ID)
	return sourceIn(run, object, err)
}

// sourceIn returns the source state from a run's object or, if err says that there is
// none, from its row.
func sourceIn(run history.Run, object api.Run, err error) *api.Source {
	if run.Fingerprint == "" {
		return nil
	}
	if err == nil && object.Source != nil && object.Source.Fingerprint == run.Fingerprint {
		return object.Source
	}
	return &api.Source{Fingerprint: run.Fingerprint, Commit: run.Commit, Branch: run.Branch, Dirty: -1}
}

// isPartial reports whether only some tests were requested: if err says that there is no
// object, whether the run ended without covering everything.
func isPartial(run history.Run, object api.Run, err error) bool {
	if run.Kind != api.KindRun && run.Kind != api.KindMerge || run.Whole {
		return false
	}
	if err != nil {
		return run.Verdict == api.Passed || run.Verdict == api.Failed
	}
	s := object.Selection
	return s.Narrows() || len(s.RunnerArgs) > 0
}

// timeSince returns how long ago a run ended, or began.
func timeSince(k *ledger.Keeper, run history.Run) time.Duration {
	return max(k.Cfg.Now().Sub(run.StartedAt.Add(run.Duration)), 0)
}

// minPrefix is the length of the shortest offered prefix of a run id: shorter ones would
// soon be ambiguous.
const minPrefix = 4

// prefixesOf returns the shortest unambiguous prefixes of run ids.
func prefixesOf(runs []history.Run) map[string]string {
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = run.ID
	}
	slices.Sort(ids)
	prefixes := make(map[string]string, len(ids))
	for i, id := range ids {
		need := minPrefix
		for _, n := range []int{i - 1, i + 1} {
			if n >= 0 && n < len(ids) && ids[n] != id {
				need = max(need, countCommon(id, ids[n])+1)
			}
		}
		prefixes[id] = id[:min(need, len(id))]
	}
	return prefixes
}

// countCommon returns the length of the common prefix of two ids.
func countCommon(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
