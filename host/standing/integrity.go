package standing

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// notCompared says why vanished tests cannot be reported: no earlier run of everything
// had these arguments, settings and tools.
const notCompared = "not compared with earlier runs: the arguments, settings or tools differ"

// Integrity returns what vanished or became skipped since the session began. It compares
// only complete runs with the same arguments, settings and tools. uncompared reports
// whether there are complete runs, but only with others.
func Integrity(ctx context.Context, led *ledger.Ledger, row history.Run) (found *api.Integrity, uncompared bool, err error) {
	if !row.Complete() {
		return nil, false, nil
	}
	c := &comparison{history: led.History, row: row}
	since, ok, err := c.reference(ctx)
	if err != nil || !ok {
		return nil, c.others, err
	}
	alike := SameSources(since, row)
	changes := func(yield func(history.Change) bool) {
		err = led.History.Compare(ctx, since.ID, row.ID, func(c history.Change) bool {
			return alike && !c.InNow || yield(c)
		})
	}
	all := slices.Collect(classify.Renamed(changes)) // names that differ in addresses
	if err != nil {
		return nil, false, err
	}
	names, err := renamedIn(ctx, led, row, all)
	return classify.Integrity(since.ID, slices.Values(all), names), false, err
}

// renamedIn returns the new names of tests that are gone from one run of everything to
// another.
func renamedIn(ctx context.Context, led *ledger.Ledger, now history.Run, changes []history.Change) (map[sdk.TestID]sdk.TestID, error) {
	var gone, come []classify.Declared
	for _, c := range changes {
		t := c.Test
		if t.TestKey.Test == "" || t.Root != "" && t.Root != t.TestKey.Test {
			continue
		}
		d := classify.Declared{TestID: t.TestKey.TestID, File: t.File, Line: t.Line, Body: t.Body}
		switch {
		case !c.InNow:
			gone = append(gone, d)
		case !c.InBefore && c.Now != history.NeverStarted:
			come = append(come, d)
		}
	}
	if len(gone) == 0 || len(come) == 0 {
		return nil, nil
	}
	var here []classify.Declared
	err := led.History.Results(ctx, now.ID, func(r history.Result) bool {
		if r.Test != "" && (r.Root == "" || r.Root == r.Test) {
			here = append(here, classify.Declared{TestID: r.TestID, File: r.File, Line: r.Line})
		}
		return true
	})
	return classify.Renames(classify.Placed(gone, gone), classify.Placed(come, here)), err
}

// SameSources reports whether two runs had the same sources in the same environment. Then
// no test was added or removed between them: a name in only one of them is generated.
func SameSources(a, b history.Run) bool {
	return a.Fingerprint != "" && a.Fingerprint == b.Fingerprint && !a.MixedState && !b.MixedState &&
		a.Environment != "" && a.Environment == b.Environment
}

// comparison looks for the run to compare a run of everything with.
type comparison struct {
	history history.Store
	row     history.Run
	// others reports whether there are such runs with other arguments, settings or
	// tools.
	others bool
}

// reference returns the run to compare a session with: the last complete run before it,
// or else the first one in it. With an incomplete run, tests that it did not reach would
// appear never to have existed.
func (c *comparison) reference(ctx context.Context) (history.Run, bool, error) {
	// Mostly the first few of a session's runs say when it began, and it may have thousands.
	filter := history.RunFilter{SessionID: c.row.SessionID, Before: c.row.Order, Oldest: true, Limit: fewRuns}
	began, own, err := c.begin(ctx, filter)
	if err != nil {
		return history.Run{}, false, err
	}
	before, ok, err := c.earlier(ctx, began)
	if err != nil || ok {
		return before, ok, err
	}
	if i := slices.IndexFunc(own, c.serves); i >= 0 || len(own) == 0 {
		return first(own, i)
	}
	filter.Whole = true
	found, ok, err := c.oldest(ctx, filter, c.row.Setting())
	if err == nil && !ok && !c.others {
		_, _, err = c.oldest(ctx, filter, "") // only to learn whether there are others
	}
	return found, ok, err
}

// oldest returns the oldest usable run with a setting, if there is one: mostly the first of
// those that are of everything.
func (c *comparison) oldest(ctx context.Context, filter history.RunFilter, setting string) (history.Run, bool, error) {
	filter.Setting = setting
	for _, filter.Limit = range []int{fewRuns, 0} {
		runs, err := c.history.Runs(ctx, filter)
		if err != nil {
			return history.Run{}, false, err
		}
		if i := slices.IndexFunc(runs, c.serves); i >= 0 {
			return runs[i], true, nil
		}
		if filter.Limit > 0 && len(runs) < filter.Limit || c.others && setting == "" {
			break
		}
	}
	return history.Run{}, false, nil
}

// fewRuns is how many runs are read where one of the first mostly serves.
const fewRuns = 5

// begin returns when the session began, with our own of its first runs.
func (c *comparison) begin(ctx context.Context, filter history.RunFilter) (began int64, own []history.Run, err error) {
	runs, err := c.history.Runs(ctx, filter)
	own = slices.DeleteFunc(slices.Clone(runs), history.Run.Foreign)
	switch {
	case err != nil:
		return 0, nil, err
	case len(own) > 0:
		return own[0].Order, own, nil
	case filter.Limit > 0 && len(runs) == filter.Limit:
		filter.Limit = 0
		return c.begin(ctx, filter)
	}
	return c.row.Order, nil, nil
}

// first returns the i-th run, if i is not negative.
func first(runs []history.Run, i int) (history.Run, bool, error) {
	if i < 0 {
		return history.Run{}, false, nil
	}
	return runs[i], true, nil
}

// earlier returns another session's newest run before the session began.
func (c *comparison) earlier(ctx context.Context, began int64) (history.Run, bool, error) {
	found, ok, err := c.newest(ctx, began, c.row.Setting())
	if err != nil || ok || c.others || c.row.Setting() == "" {
		return found, ok, err
	}
	_, _, err = c.newest(ctx, began, "") // only to learn whether there are others
	return history.Run{}, false, err
}

// newest returns the newest usable run with a setting; without a setting it stops at
// the first run that has another.
func (c *comparison) newest(ctx context.Context, began int64, setting string) (history.Run, bool, error) {
	filter := history.RunFilter{
		Language: c.row.Language, NotSession: c.row.SessionID, Whole: true, Setting: setting, Before: began, Limit: fewRuns,
	}
	for {
		runs, err := c.history.Runs(ctx, filter)
		if err != nil {
			return history.Run{}, false, err
		}
		if i := slices.IndexFunc(runs, c.serves); i >= 0 {
			return runs[i], true, nil
		}
		if len(runs) < filter.Limit || setting == "" && c.others && c.row.Setting() != "" {
			return history.Run{}, false, ctx.Err()
		}
		filter.Before, filter.Limit = runs[len(runs)-1].Order, WholeRuns
	}
}

// serves reports whether a run is suitable for the comparison. A run made elsewhere is
// not, since it says nothing about this workspace.
func (c *comparison) serves(run history.Run) bool {
	ours := !run.Foreign() && (run.Kind == api.KindRun || run.Kind == api.KindRerun || run.Kind == api.KindMerge)
	if !ours || run.Language != c.row.Language || !run.Complete() {
		return false
	}
	alike := run.Setting() == c.row.Setting()
	c.others = c.others || !alike
	return alike
}
