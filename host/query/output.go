package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// maxTestOutput bounds an answer, which is held in memory, in bytes.
const maxTestOutput = 64 << 20

// Output reads one test's output from the record of a run. name is a test as shown in
// reports, or the unique end of one.
func Output(ctx context.Context, k *ledger.Keeper, req api.LastRun, name string) (api.TestOutput, error) {
	requests, err := ledger.SplitByLanguage(ctx, k, req)
	if err != nil {
		return api.TestOutput{}, err
	}
	return OutputOf(ctx, k, requests, name)
}

// OutputOf is [Output] from the record of the first of some runs that has the test.
func OutputOf(ctx context.Context, k *ledger.Keeper, requests []api.LastRun, name string) (out api.TestOutput, err error) {
	var missing *api.NoTestError
	for _, each := range requests {
		out, oerr := readOutput(ctx, k, each, name)
		if !errors.As(oerr, &missing) || len(missing.Matches) > 0 {
			return out, oerr
		}
		err = oerr // another language or shard may have it
	}
	if missing != nil && err != nil {
		missing.Other = lastRunOf(ctx, k, requests, missing)
	}
	return api.TestOutput{}, err
}

// lookedThrough is how many of the newest runs of a test are searched for one whose record
// is still there.
const lookedThrough = 20

// lastRunOf returns the newest run that has a test which the last ones lack, as a rerun lacks
// most; empty if none has.
func lastRunOf(ctx context.Context, k *ledger.Keeper, requests []api.LastRun, missing *api.NoTestError) string {
	for _, req := range requests {
		if req.Ref != "" {
			return ""
		}
		past, err := History(ctx, k, api.HistoryRequest{Where: req.Where, Language: req.Language, Name: missing.Test, Limit: lookedThrough})
		if err != nil || len(past.Tests) != 1 {
			continue
		}
		for _, p := range past.Timeline {
			if p.RunID == missing.RunID || p.Status == api.TestNeverStarted {
				continue
			}
			if _, _, err := ledger.Lookup(ctx, k, api.LastRun{Where: req.Where, Ref: p.RunID}); err == nil {
				return p.RunID
			}
		}
	}
	return ""
}

func readOutput(ctx context.Context, k *ledger.Keeper, req api.LastRun, name string) (api.TestOutput, error) {
	run, led, err := ledger.Lookup(ctx, k, req)
	if err != nil {
		return api.TestOutput{}, err
	}
	test, err := matchTest(led.Artifacts, run, name, ledger.SuiteNames(ctx, led))
	if err != nil {
		return api.TestOutput{}, err
	}
	switch kept := hasStreams(led.Artifacts, run); {
	case run.Merged != nil, run.Origin != "" && !kept:
		return readExcerpts(led.Artifacts, run, test)
	case len(run.Commands) > 0 && !kept:
		return api.TestOutput{}, &api.UsageError{Reason: "the output of run " + run.RunID + " is not on record"}
	}
	projects, err := k.Projects(ctx, api.Where{Dir: run.Workspace, Exact: true}, []string{run.Language})
	if err != nil {
		return api.TestOutput{}, err
	}
	p := projects[0]
	out := api.TestOutput{Run: run, Test: test}
	if !p.ID.OutputOf {
		return out, &api.UsageError{Reason: fmt.Sprintf("the plugin for %s cannot extract the output of one test", run.Language)}
	}
	var text strings.Builder
	err = feedPrinted(ctx, p, led.Artifacts, run, []sdk.TestID{test}, func(data []byte) {
		room := maxTestOutput - text.Len()
		out.Truncated = out.Truncated || len(data) > room
		text.Write(data[:min(room, len(data))])
	})
	out.Text = text.String()
	return out, err
}

// feedPrinted has the plugin extract what some tests or suites printed from the output of
// each command of a run.
func feedPrinted(ctx context.Context, p project.Project, store *artifacts.Store, run api.Run, tests []sdk.TestID, take func(data []byte)) error {
	col := tally.NewCollector(api.ListenerFunc(func(e api.Event) {
		if e, ok := e.(*api.Printed); ok {
			take(e.Data)
		}
	}))
	for n, c := range run.Commands {
		paths, ok := artifacts.StreamPaths(store, run.RunID, n)
		if !ok {
			continue // the command never ran
		}
		for _, t := range tests {
			info := sdk.RunInfo{Workspace: p.Ws, Command: sdk.Command{Argv: c.Argv, Dir: c.Dir}, OutputOf: t}
			if err := ledger.Feed(ctx, p.Plugin, info, paths, sdk.Exit{Code: run.ExitCode, Signal: run.Signal}, col); err != nil {
				return err
			}
		}
	}
	return nil
}

// readExcerpts returns the parts of a test's output that the failures of a run made elsewhere
// contain. The rest is on the machine that made it.
func readExcerpts(store *artifacts.Store, run api.Run, test sdk.TestID) (api.TestOutput, error) {
	out := api.TestOutput{Run: run, Test: test}
	err := store.Failures(run.RunID, func(f api.Failure) bool {
		if f.TestID == test {
			out.Text += f.Output
			out.Truncated = out.Truncated || f.OutputTruncated
		}
		return len(out.Text) < maxTestOutput
	})
	if err == nil && out.Text == "" {
		where := "the machine that made it"
		if run.Merged != nil {
			where = "the machines of its shards"
		}
		err = &api.UsageError{Reason: "the output of run " + run.RunID + " is on " + where, Fix: "look there, or at the failures, which have an excerpt"}
	}
	return out, err
}

// hasStreams reports whether any command's output is on record.
func hasStreams(store *artifacts.Store, run api.Run) bool {
	for n := range run.Commands {
		if _, ok := artifacts.StreamPaths(store, run.RunID, n); ok {
			return true
		}
	}
	return false
}

// matchTest finds the test or suite of a run that a name stands for; see [api.MatchTests].
// Of several, the only one that failed is meant: a run's answer names it so.
func matchTest(store *artifacts.Store, run api.Run, name string, suites api.SuiteNames) (sdk.TestID, error) {
	var all []sdk.TestID
	seen := map[sdk.TestID]bool{}
	consider := func(t sdk.TestID) {
		if !seen[t] {
			seen[t] = true
			all = append(all, t)
		}
	}
	err := store.Results(run.RunID, func(r api.Result) bool {
		consider(r.TestID)
		consider(sdk.TestID{Suite: r.Suite})
		return true
	})
	failed := map[sdk.TestID]bool{}
	if err == nil {
		err = store.Failures(run.RunID, func(f api.Failure) bool {
			consider(f.TestID)
			failed[f.TestID] = true
			return true
		})
	}
	if err != nil {
		return sdk.TestID{}, err
	}
	meant := api.MatchTests(all, name, suites)
	if red := slices.DeleteFunc(slices.Clone(meant), func(i int) bool { return !failed[all[i]] }); len(red) == 1 {
		meant = red
	}
	if len(meant) == 1 {
		return all[meant[0]], nil
	}
	missing := &api.NoTestError{Test: name, RunID: run.RunID}
	for _, i := range meant[:min(len(meant), ledger.MaxMatches)] {
		missing.Matches = append(missing.Matches, suites.Call(all[i]))
	}
	slices.Sort(missing.Matches)
	if missing.More = len(meant) - len(missing.Matches); len(meant) == 0 {
		missing.Nearest = api.Nearest(all, name, suites.Call)
	}
	return sdk.TestID{}, missing
}
