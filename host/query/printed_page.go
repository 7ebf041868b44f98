package query

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// maxReread bounds how much of a record is read again for what the tests of a run
// printed: all of it for each suite.
const maxReread = 64 << 20

// PrintedPage reads a part of what the tests of a run printed, suite by suite, as
// [Output] has it of each, and then of the standard error. Runners wrap it in
// events, which nobody wants to read. ok is false where that cannot be told apart, or
// would take long: [StreamPage] has what the runner wrote.
func PrintedPage(ctx context.Context, h *ledger.Keeper, req api.LastRun, offset int64, most int) (page api.StreamPage, ok bool, err error) {
	run, m, err := h.Lookup(ctx, req)
	if err != nil {
		return page, false, err
	}
	page.Run = run
	if run.State == api.StateRunning {
		return page, false, nil
	}
	suites, err := listSuites(ctx, m, run.RunID)
	if err != nil || len(suites) == 0 {
		return page, false, err
	}
	var out, errs int64
	recorded := false
	var stderr strings.Builder
	for n := range run.Commands {
		paths, ok := m.Artifacts.StreamPaths(run.RunID, n)
		if !ok {
			continue // the command never ran
		}
		recorded = true
		for i, path := range paths {
			st, err := os.Stat(path)
			if err != nil {
				return page, false, fmt.Errorf("the recorded output: %w", err)
			}
			if i == 0 {
				out += st.Size()
				continue
			}
			if errs += st.Size(); errs > maxReread {
				return page, false, nil
			}
			if err := appendFile(&stderr, path); err != nil {
				return page, false, err
			}
		}
	}
	if !recorded || out*int64(len(suites)) > maxReread {
		return page, false, nil
	}
	printed, ok, err := readPrinted(ctx, h, m, run, suites)
	if err != nil || !ok || printed == "" && out > 0 {
		return page, false, err
	}
	text := printed + stderr.String()
	page.StderrAt, page.Total = int64(len(printed)), int64(len(text))
	page.Offset, page.Text = CutPage(text, offset, most)
	return page, true, ctx.Err()
}

// readPrinted is what the tests of some suites printed; ok is false where the plugin does
// not tell.
func readPrinted(ctx context.Context, h *ledger.Keeper, m *ledger.Ledger, run api.Run, suites []string) (text string, ok bool, err error) {
	projects, err := h.Projects(ctx, api.Where{Dir: run.Workspace, Exact: true}, []string{run.Language})
	if err != nil || !projects[0].ID.OutputOf {
		return "", false, ctx.Err() // the project may be gone: then there is the stream
	}
	p := projects[0]
	var b strings.Builder
	col := tally.NewCollector(nil, nil, api.Observer{})
	col.OnOutput = func(data []byte) { b.Write(data) }
	for n, c := range run.Commands {
		paths, recorded := m.Artifacts.StreamPaths(run.RunID, n)
		if !recorded {
			continue
		}
		for _, suite := range suites {
			info := sdk.RunInfo{Workspace: p.Ws, Command: sdk.Command{Argv: c.Argv, Dir: c.Dir}, OutputOf: sdk.TestID{Suite: suite}}
			if err := ledger.Feed(ctx, p.Plugin, info, paths, sdk.Exit{Code: run.ExitCode, Signal: run.Signal}, col); err != nil {
				return "", false, err
			}
			if b.Len() > maxReread {
				return "", false, nil
			}
		}
	}
	return b.String(), true, nil
}

// listSuites are the suites of a run in the order of its record.
func listSuites(ctx context.Context, m *ledger.Ledger, runID string) ([]string, error) {
	var suites []string
	known := map[string]bool{"": true} // what belongs to none stands in no suite's output
	add := func(suite string) bool {
		if !known[suite] {
			known[suite] = true
			suites = append(suites, suite)
		}
		return ctx.Err() == nil
	}
	err := m.Artifacts.Results(runID, func(r api.Result) bool { return add(r.Suite) })
	if err == nil {
		err = m.Artifacts.Failures(runID, func(f api.Failure) bool { return add(f.Suite) })
	}
	return suites, err
}

func appendFile(b *strings.Builder, path string) error {
	f, err := os.Open(path)
	if err == nil {
		_, err = io.Copy(b, f)
		f.Close()
	}
	if err != nil {
		return fmt.Errorf("the recorded output: %w", err)
	}
	return nil
}
