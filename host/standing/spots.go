package standing

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// SpotTests is how many failing tests of a file are named.
const SpotTests = 5

// JudgeSpots returns the files that give trouble now.
func JudgeSpots(ctx context.Context, led *ledger.Ledger) (now KeptSpots, err error) {
	j, err := judgeFiles(ctx, led, 0, nil)
	if err != nil || j.same || len(j.finished) == 0 {
		return j.kept(), err
	}
	last, ok, err := findLastOwn(ctx, led)
	if err != nil || !ok {
		return now, err
	}
	if now, err = j.keep(ctx, last.Order, ""); err != nil {
		led.Keeper.Cfg.Logger.Warn("the note was not kept", "error", err) // it will be computed again
	}
	return now, nil
}

// findLastOwn returns our newest finished run.
func findLastOwn(ctx context.Context, led *ledger.Ledger) (last history.Run, ok bool, err error) {
	filter := history.RunFilter{State: api.StateFinished, Kinds: []api.Kind{api.KindRun, api.KindRerun, api.KindMerge}, Limit: 8}
	for {
		runs, err := led.History.Runs(ctx, filter)
		if err != nil || len(runs) == 0 {
			return last, false, err
		}
		if i := slices.IndexFunc(runs, func(r history.Run) bool { return !r.Foreign() }); i >= 0 {
			return runs[i], true, nil
		}
		filter.Before, filter.Limit = runs[len(runs)-1].Order, 1000 // larger than an archive
	}
}

// spot returns how a file stands, and the order of the last run that ran it.
func (j *judgment) spot(ctx context.Context, at sourceFile, subject classify.FileSubject) (spot api.Spot, order int64, err error) {
	sessions := sessionsOf(subject.Suspects)
	if len(sessions) == 0 {
		return spot, 0, nil
	}
	latest := sessions[len(sessions)-1]
	stands, err := j.fileStanding(ctx, at, subject, latest)
	if err != nil {
		return spot, 0, err
	}
	spot = api.Spot{
		File: at.file, Classification: stands.Classification, Resolution: stands.Resolution,
		FailedSessions: stands.FailedSessions, Recurring: stands.Recurring,
	}
	if spot.Regressed, err = j.hasRegressed(ctx, at, subject, sessions, stands); err != nil {
		return spot, 0, err
	}
	for _, t := range classify.BadNow(subject) {
		p, ok := classify.Latest(t.Points)
		if !ok || p.Derived || len(spot.Tests) == SpotTests {
			continue
		}
		spot.Tests = append(spot.Tests, t.TestKey.TestID)
		if spot.Failing == nil && !isFlaky(t) {
			if spot.Failing, err = failingSince(ctx, j.Ledger, t); err != nil {
				return spot, 0, err
			}
		}
	}
	for _, t := range subject.Suspects {
		if len(spot.Flaky) < SpotTests && isFlaky(t) && !CompleteSet(subject.Complete).Lack(t.Points) {
			spot.Flaky = append(spot.Flaky, t.TestKey.TestID)
		}
	}
	if spot.Resolution != api.StatusPassed && spot.Resolution != api.StatusFixed && len(spot.Tests) == 0 {
		spot.Classification, spot.Regressed = "", false // what was bad in it no longer exists
	}
	return spot, latest.last.Order, nil
}

// hasRegressed reports whether a file is, as it stands after the last of its sessions, a recent
// regression. One that the next session left alone counts as recent until it recurs.
func (j *judgment) hasRegressed(ctx context.Context, at sourceFile, subject classify.FileSubject, sessions []lastRan, last api.Standing) (bool, error) {
	if last.Classification != api.Failing || last.Recurring {
		return last.Classification == api.Regression, nil
	}
	for _, s := range slices.Backward(sessions[:len(sessions)-1]) {
		before, err := j.fileStanding(ctx, at, subject, s)
		if err != nil {
			return false, err
		}
		if c := before.Classification; c != api.Failing {
			return c == api.Regression || c == api.Unsteady, nil
		}
	}
	return false, nil
}

// isFlaky reports whether a test is flaky according to the whole record.
func isFlaky(t history.Timeline) bool {
	p, ok := classify.Latest(t.Points)
	if !ok {
		return false
	}
	s := classify.Test(classify.Subject{Timeline: t, SessionID: p.SessionID})
	return s.IsFlaky()
}

// failingSince returns since when a test has failed, and what had changed before that.
func failingSince(ctx context.Context, led *ledger.Ledger, t history.Timeline) (*api.SpotTest, error) {
	passed, failed := classify.FailingSince(t.Points)
	if failed == nil {
		return nil, nil
	}
	since := &api.SpotTest{TestID: t.TestKey.TestID, SinceRunID: failed.RunID, SinceAt: failed.At}
	if passed == nil {
		return since, nil
	}
	changed, err := led.Changes(ctx, passed.Fingerprint, failed.Fingerprint)
	changed.Files = changed.Files[:min(len(changed.Files), SpotTests)]
	since.Changed = &changed
	return since, err
}
