package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// keep updates the outstanding set and ends the record.
func (f *finisher) keep(ctx context.Context, run *record.Run) {
	reach := f.reach(*run)
	if reach == rerun.Green && f.run.fold.Unproven() {
		if inv, ok := f.host.inventory(ctx, f.project, sdk.ListRequest{RunnerArgs: f.runnerArgs}, listDeadline); ok {
			f.run.fold.Exists(inv)
			f.run.fold.Removed(f.removed(ctx))
		}
	}
	f.findAbsent(ctx, run)
	if f.toolErr != nil {
		f.run.fold.RunUnknown(rerun.WhyTool)
	}
	var gone []rerun.Entry
	var otherwise []rerun.Entry
	set, err := f.update(ctx, run.Language, func(current rerun.Set) rerun.Set {
		after := f.run.fold.After(current, reach)
		if f.widened != nil {
			after = f.widened.fold.After(after, rerun.Partial)
		}
		unnamed := !f.run.fold.Red() && (f.widened == nil || !f.widened.fold.Red())
		if isRed(run.Verdict) && unnamed && !f.lacksNothing() && !(run.Cancelled && run.Verdict == record.Incomplete) && (f.everything() || !f.leaves(after)) {
			// Nothing that is wrong has a name: then the whole is outstanding.
			f.run.fold.RunUnknown(whyRed(run))
			after = f.run.fold.After(after, reach)
		}
		gone, otherwise = f.gone(current, after), f.run.fold.Elsewise(after)
		return after
	})
	run.Warnings = append(run.Warnings, elsewiseNotes(f.notNext(otherwise))...)
	if err != nil {
		f.warn(run, err)
	}
	run.Outstanding, run.OutstandingCounts, f.left = set.Len(), set.Counts(), set
	if run.Message == "" {
		run.Message = f.message(*run)
	}
	f.conclude(ctx, run)
	if len(gone) > 0 {
		if run.Integrity == nil {
			run.Integrity = &record.Integrity{}
		}
		run.Integrity.Gone, run.Integrity.GoneTotal = goneTests(gone), len(gone)
		for i, r := range run.Requested {
			left := slices.ContainsFunc(gone, func(e rerun.Entry) bool { return e.Test == record.Test{Suite: r.Suite, Test: r.Test} })
			if left && r.Outcome == record.OutcomeDidNotRun {
				run.Requested[i].Why = "it does not exist any more"
			}
		}
	}
	f.tellRenamed(ctx, run, gone)
	if f.rec != nil {
		if err := f.rec.Finish(*run); err != nil {
			f.warn(run, err)
		}
	}
	// Last: after a crash before this, the run is one that was killed, and what it
	// left undone is outstanding.
	if err := f.store.Finish(ctx, *run); err != nil {
		f.warn(run, errors.Join(err, f.store.Disown()))
	}
	if f.memory != nil {
		if err := f.memory.prune(ctx, retentionOf(f.settings)); err != nil {
			run.Warnings = append(run.Warnings, "old records were not removed: "+err.Error())
		}
	}
}

// whyRed is why a run is red of which nothing has a name.
func whyRed(run *record.Run) rerun.Why {
	switch {
	case run.Verdict == record.BuildFailed:
		return rerun.WhyUnbuilt
	case run.TimedOut || run.Cancelled || run.Signal != "":
		return rerun.WhyCut
	}
	return ""
}

// findAbsent finds out which of the outstanding tests that had no result exist no
// more. It is asked after runs that came to their ends and ran their suites whole: what
// a selection or an end before the end has left out is no wonder.
func (f *finisher) findAbsent(ctx context.Context, run *record.Run) {
	if f.sel != nil { // whoever chose them has asked
		f.run.fold.Absent(f.absent)
		if f.widened != nil {
			f.widened.fold.Absent(f.absent)
		}
		return
	}
	ended := run.Verdict == record.Passed || run.Verdict == record.Failed || run.Verdict == record.BuildFailed
	if f.toolErr != nil || !ended || run.Cancelled || run.TimedOut || !f.run.fold.RanWhole() {
		return
	}
	f.run.fold.Absent(f.memory.listAbsent(ctx, f.project, f.run.fold.UnprovenAlike(), f.runnerArgs))
}

// gone are the tests that leave the set without having passed.
func (f *finisher) gone(before, after rerun.Set) []rerun.Entry {
	if f.widened == nil {
		return f.run.fold.Gone(before, after)
	}
	var gone []rerun.Entry
	for _, e := range f.run.fold.Gone(before, after) {
		if slices.Contains(f.widened.fold.Gone(before, after), e) {
			gone = append(gone, e)
		}
	}
	return gone
}

// update replaces the outstanding set. Without a history it is what this run
// leaves of it, for the run alone.
func (f *finisher) update(ctx context.Context, language string, update func(rerun.Set) rerun.Set) (rerun.Set, error) {
	if f.memory == nil {
		return update(f.run.fold.Before()), nil
	}
	done := false
	set, err := f.memory.updateOutstanding(ctx, language, func(current rerun.Set) rerun.Set {
		done = true
		return update(current)
	})
	if err != nil && !done {
		set = update(f.run.fold.Before())
	}
	return set, err
}

// leaves tells whether something that a rerun asked for is still outstanding: that
// names what is wrong well enough.
func (f *finisher) leaves(after rerun.Set) bool {
	left := map[record.Test]bool{}
	for _, e := range after.Entries {
		left[e.Test] = true
	}
	return slices.ContainsFunc(f.sel.Requested, func(t rerun.Target) bool { return left[t.Test] })
}

// reach is how far the run got.
func (f *finisher) reach(run record.Run) rerun.Reach {
	switch {
	case len(f.run.done) == 0: // whatever is outstanding, nothing was tried
		return rerun.Partial
	case !f.everything() || run.Selection.Narrows() || run.Verdict == record.ToolError || run.Verdict == record.Incomplete:
		return rerun.Partial
	case run.Verdict == record.Passed && f.sel == nil:
		return rerun.Green
	}
	return rerun.Ended
}

func isRed(v record.Verdict) bool { return v != record.Passed && v != record.NothingRan }

// message says what a pass leaves open, and what to do about tests that exist no
// more: however often these are asked for, they cannot be rerun.
func (f *finisher) message(run record.Run) string {
	fix, otherwise := goneFix, ""
	if n := f.otherwise(); n > 0 {
		otherwise = fmt.Sprintf("%d of these came in with other arguments or in another environment: only a run with those shows whether they pass, and `proctor outstanding` says which these are", n)
		fix += "; " + otherwise
	}
	allGone := f.sel != nil && run.Outstanding > 0 && len(f.sel.Gone) >= run.Outstanding
	switch {
	case f.sel != nil && len(f.sel.Gone) > 0 && run.Outstanding == 0 && run.Verdict == record.NothingRan:
		return "nothing is outstanding any more: what was does not exist; finish with `proctor run`"
	case allGone && run.Verdict == record.NothingRan:
		return "nothing that is outstanding exists here any more; " + fix
	case run.Verdict == record.BuildFailed && f.sel != nil:
		return slipFix(run, f.sel.Requested)
	case run.Verdict != record.Passed:
		return ""
	}
	message := passMessage(run, f.everything() || leavesNothingOut(run.Affected))
	switch {
	case allGone:
		message += "; no such tests exist here any more, and " + fix
	case run.Outstanding > 0 && f.sel == nil && otherwise != "" && !run.Selection.Narrows():
		message += "; " + otherwise
	case run.Outstanding > 0 && f.sel == nil && !run.Selection.Narrows():
		message += "; " + leftFix
	}
	return message
}

// otherwise counts what is outstanding and came in under other circumstances than
// those of this run.
func (f *finisher) otherwise() int {
	n := 0
	for _, e := range f.left.Entries {
		if e.Args != "" && e.Args != f.argsKey() {
			n++
		}
	}
	return n
}

// goneFix is what to do about outstanding tests that exist no more.
const goneFix = "a run of everything, without arguments and green, takes off the list what is gone: finish with `proctor run`"

// leftFix is what to do about what a run of everything has left outstanding.
const leftFix = "`proctor outstanding --drop TEST` takes off what can pass no more"

// passMessage says what a pass leaves open.
func passMessage(run record.Run, everything bool) string {
	switch {
	case run.Outstanding > 0:
		return run.Outstood() + " still outstanding: failed, did not finish or never started, and not passed since"
	case !everything && run.Affected != nil:
		return "nothing is outstanding; the other tests were not run: finish with `proctor run`"
	case !everything:
		return "nothing is outstanding any more; the other tests were not run again: finish with `proctor run`"
	}
	return ""
}
