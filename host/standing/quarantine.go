package standing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/sdk"
)

// Quarantined returns the outstanding tests of a language that failed only with their
// known failure. It returns none if the file is unreadable, which a run reports.
func Quarantined(ctx context.Context, led *ledger.Ledger, language string, set outstanding.Set) (isKnown func(outstanding.Entry) bool) {
	f, err := quarantine.Load(led.Artifacts.Workspace())
	if err != nil || len(f.Entries) == 0 {
		return func(outstanding.Entry) bool { return false }
	}
	entries := slices.DeleteFunc(f.Entries, func(e quarantine.Entry) bool { return !strings.EqualFold(e.Language, language) })
	return QuarantinedBy(ctx, led, entries, led.Keeper.Cfg.Now(), set)
}

// QuarantinedBy returns the outstanding tests whose last failure on record is the known
// one of their entry, in the way in which they are outstanding.
func QuarantinedBy(ctx context.Context, led *ledger.Ledger, entries []quarantine.Entry, now time.Time, set outstanding.Set) (isKnown func(outstanding.Entry) bool) {
	type ending struct {
		sdk.TestID
		run string
	}
	known, runs := map[ending]bool{}, map[string][]quarantine.Entry{}
	for _, e := range set.Entries {
		at := slices.IndexFunc(entries, func(entry quarantine.Entry) bool { return entry.TestID == e.TestID })
		if at >= 0 && e.Reason == outstanding.ReasonFailed && !entries[at].IsExpired(now) {
			runs[e.LastRunID] = append(runs[e.LastRunID], entries[at])
		}
	}
	for id, entries := range runs {
		judge := quarantine.NewJudge(entries, now)
		err := errors.Join(
			led.Artifacts.Results(id, func(r api.Result) bool { judge.Listen(&api.TestEnded{Result: r}); return ctx.Err() == nil }),
			led.Artifacts.Failures(id, func(f api.Failure) bool { judge.Listen(&api.FailureFound{Failure: f}); return ctx.Err() == nil }),
		)
		if err != nil || ctx.Err() != nil {
			continue // unknown, so it counts
		}
		for test := range judge.Find().Excused {
			known[ending{test, id}] = true
		}
	}
	return func(e outstanding.Entry) bool { return known[ending{e.TestID, e.LastRunID}] }
}
