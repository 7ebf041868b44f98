package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// TestOutput is one test's whole output.
type TestOutput struct {
	Run  record.Run
	Test record.Test
	Text string
	// Truncated: the record or the answer was cut.
	Truncated bool
}

// maxTestOutput bounds an answer that is held in memory.
const maxTestOutput = 64 << 20

// Output reads one test's output again, whole, from the record of a run. name is
// a test as the reports show it, or the unique end of one.
func (h *Host) Output(ctx context.Context, req LastRun, name string) (TestOutput, error) {
	requests, err := h.EachLanguage(ctx, req)
	if err != nil {
		return TestOutput{}, err
	}
	var missing *NoTestError
	for _, each := range requests {
		out, oerr := h.outputOf(ctx, each, name)
		if !errors.As(oerr, &missing) || len(missing.Matches) > 0 {
			return out, oerr
		}
		err = oerr // perhaps it is a test of another language
	}
	return TestOutput{}, err
}

func (h *Host) outputOf(ctx context.Context, req LastRun, name string) (TestOutput, error) {
	run, m, err := h.lookup(ctx, req)
	if err != nil {
		return TestOutput{}, err
	}
	test, err := findTest(m.store, run, name)
	if err != nil {
		return TestOutput{}, err
	}
	if len(run.Commands) > 0 && !hasStreams(m.store, run) {
		return TestOutput{}, &UsageError{Reason: "the output of run " + run.RunID + " is not on record"}
	}
	projects, err := h.projects(ctx, Where{Dir: run.Workspace, Exact: true}, []string{run.Language})
	if err != nil {
		return TestOutput{}, err
	}
	p := projects[0]
	out := TestOutput{Run: run, Test: test}
	if !p.id.OutputOf {
		return out, &UsageError{Reason: fmt.Sprintf("the plugin for %s cannot tell the output of one test", run.Language)}
	}
	var text strings.Builder
	col := newCollector(nil, nil, Observer{})
	col.output = func(data []byte) {
		room := maxTestOutput - text.Len()
		if len(data) > room {
			data, out.Truncated = data[:room], true
		}
		text.Write(data)
	}
	for n, c := range run.Commands {
		paths, ok := m.store.StreamPaths(run.RunID, n)
		if !ok {
			continue // the command never ran
		}
		info := sdk.RunInfo{Workspace: p.ws, Command: sdk.Command{Argv: c.Argv, Dir: c.Dir}, OutputOf: idOf(test)}
		if err := feed(ctx, p.plugin, info, paths, sdk.Exit{Code: run.ExitCode, Signal: run.Signal}, col); err != nil {
			return out, err
		}
	}
	out.Text = text.String()
	return out, nil
}

// hasStreams tells whether the output of any command is on record.
func hasStreams(store *session.Store, run record.Run) bool {
	for n := range run.Commands {
		if _, ok := store.StreamPaths(run.RunID, n); ok {
			return true
		}
	}
	return false
}

// findTest finds the test or suite of a run that a user means, as [meaning]
// compares names.
func findTest(store *session.Store, run record.Run, name string) (record.Test, error) {
	var all []record.Test
	seen := map[record.Test]bool{}
	consider := func(t record.Test) {
		if !seen[t] {
			seen[t] = true
			all = append(all, t)
		}
	}
	err := store.Results(run.RunID, func(r record.Result) bool {
		consider(record.Test{Suite: r.Suite, Test: r.Test})
		consider(record.Test{Suite: r.Suite})
		return true
	})
	if err == nil {
		err = store.Failures(run.RunID, func(f record.Failure) bool {
			consider(record.Test{Suite: f.Suite, Test: f.Test})
			return true
		})
	}
	if err != nil {
		return record.Test{}, err
	}
	meant := meaning(all, name)
	if len(meant) == 1 {
		return all[meant[0]], nil
	}
	missing := &NoTestError{Test: name, RunID: run.RunID}
	for _, i := range meant[:min(len(meant), maxMatches)] {
		missing.Matches = append(missing.Matches, report.QualifiedName(all[i].Suite, all[i].Test))
	}
	if missing.More = len(meant) - len(missing.Matches); len(meant) == 0 {
		missing.Nearest = nearest(all, name)
	}
	return record.Test{}, missing
}

// maxMatches is how many meanings of an ambiguous name an error lists.
const maxMatches = 5
