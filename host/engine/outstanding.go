package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// keep updates the outstanding set and ends the record.
func (f *Finisher) keep(ctx context.Context, run *api.Run) {
	reach := f.reach(*run)
	if reach == outstanding.Green && f.Run.fold.Unproven() {
		if inv, ok := f.Host.Inventory(ctx, f.Project, sdk.ListRequest{RunnerArgs: f.RunnerArgs}, project.ListDeadline); ok {
			f.Run.fold.Exists(inv)
			f.Run.fold.Removed(f.removed(ctx))
		}
	}
	f.findAbsent(ctx, run)
	if f.ToolErr != nil {
		f.Run.fold.RunUnknown(outstanding.WhyTool)
	}
	var gone []outstanding.Entry
	var otherwise []outstanding.Entry
	set, err := f.update(ctx, run.Language, func(current outstanding.Set) outstanding.Set {
		after := f.Run.fold.After(current, reach)
		if f.widened != nil {
			after = f.widened.fold.After(after, outstanding.Partial)
		}
		unnamed := !f.Run.fold.Red() && (f.widened == nil || !f.widened.fold.Red())
		if api.IsRed(run.Verdict) && unnamed && !f.lacksNothing() && !(run.Cancelled && run.Verdict == api.Incomplete) && (f.everything() || !f.leaves(after)) {
			// Nothing that is wrong has a name: then the whole is outstanding.
			f.Run.fold.RunUnknown(whyRed(run))
			after = f.Run.fold.After(after, reach)
		}
		gone, otherwise = f.gone(current, after), f.Run.fold.Elsewise(after)
		return after
	})
	run.Warnings = append(run.Warnings, elsewiseNotes(f.notNext(otherwise))...)
	if err != nil {
		f.Warn(run, err)
	}
	run.Outstanding, run.OutstandingCounts, f.left = set.Len(), set.Counts(), set
	if run.Message == "" {
		run.Message, run.Advice = f.message(*run)
	}
	f.Conclude(ctx, run)
	if len(gone) > 0 {
		if run.Integrity == nil {
			run.Integrity = &api.Integrity{}
		}
		run.Integrity.Gone, run.Integrity.GoneTotal = standing.GoneTests(gone), len(gone)
		for i, r := range run.Requested {
			left := slices.ContainsFunc(gone, func(e outstanding.Entry) bool { return e.Test == api.Test{Suite: r.Suite, Test: r.Test} })
			if left && r.Outcome == api.OutcomeDidNotRun {
				run.Requested[i].Why = "it does not exist any more"
			}
		}
	}
	f.tellRenamed(ctx, run, gone)
	if f.Rec != nil {
		if err := f.Rec.Finish(*run); err != nil {
			f.Warn(run, err)
		}
	}
	// Last: after a crash before this, the run is one that was killed, and what it
	// left undone is outstanding.
	if err := f.Store.Finish(ctx, *run); err != nil {
		f.Warn(run, errors.Join(err, f.Store.Disown()))
	}
	if f.Memory != nil {
		if err := f.Memory.Prune(ctx, ledger.RetentionOf(f.settings)); err != nil {
			run.Note(api.NoteRecord, "old records were not removed: "+err.Error())
		}
	}
}

// whyRed is why a run is red of which nothing has a name.
func whyRed(run *api.Run) outstanding.Why {
	switch {
	case run.Verdict == api.BuildFailed:
		return outstanding.WhyUnbuilt
	case run.TimedOut || run.Cancelled || run.Signal != "":
		return outstanding.WhyCut
	}
	return ""
}

// findAbsent finds out which of the outstanding tests that had no result exist no
// more. It is asked after runs that came to their ends and ran their suites whole: what
// a selection or an end before the end has left out is no wonder.
func (f *Finisher) findAbsent(ctx context.Context, run *api.Run) {
	if f.Sel != nil { // whoever chose them has asked
		f.Run.fold.Absent(f.absent)
		if f.widened != nil {
			f.widened.fold.Absent(f.absent)
		}
		return
	}
	ended := run.Verdict == api.Passed || run.Verdict == api.Failed || run.Verdict == api.BuildFailed
	if f.ToolErr != nil || !ended || run.Cancelled || run.TimedOut || !f.Run.fold.RanWhole() {
		return
	}
	f.Run.fold.Absent(listAbsent(ctx, f.Memory, f.Project, f.Run.fold.UnprovenAlike(), f.RunnerArgs))
}

// gone are the tests that leave the set without having passed.
func (f *Finisher) gone(before, after outstanding.Set) []outstanding.Entry {
	if f.widened == nil {
		return f.Run.fold.Gone(before, after)
	}
	var gone []outstanding.Entry
	for _, e := range f.Run.fold.Gone(before, after) {
		if slices.Contains(f.widened.fold.Gone(before, after), e) {
			gone = append(gone, e)
		}
	}
	return gone
}

// update replaces the outstanding set. Without a history it is what this run
// leaves of it, for the run alone.
func (f *Finisher) update(ctx context.Context, language string, update func(outstanding.Set) outstanding.Set) (outstanding.Set, error) {
	if f.Memory == nil {
		return update(f.Run.fold.Before()), nil
	}
	done := false
	set, err := f.Memory.UpdateOutstanding(ctx, language, func(current outstanding.Set) outstanding.Set {
		done = true
		return update(current)
	})
	if err != nil && !done {
		set = update(f.Run.fold.Before())
	}
	return set, err
}

// leaves reports whether something that a rerun asked for is still outstanding: that
// names what is wrong well enough.
func (f *Finisher) leaves(after outstanding.Set) bool {
	left := map[api.Test]bool{}
	for _, e := range after.Entries {
		left[e.Test] = true
	}
	return slices.ContainsFunc(f.Sel.Requested, func(t outstanding.Target) bool { return left[t.Test] })
}

// reach is how far the run got.
func (f *Finisher) reach(run api.Run) outstanding.Reach {
	switch {
	case len(f.Run.Done) == 0: // whatever is outstanding, nothing was tried
		return outstanding.Partial
	case !f.everything() || run.Selection.Narrows() || run.Verdict == api.ToolError || run.Verdict == api.Incomplete:
		return outstanding.Partial
	case run.Verdict == api.Passed && f.Sel == nil:
		return outstanding.Green
	}
	return outstanding.Ended
}

// message says what a pass leaves open, and what to do about tests that exist no
// more: however often these are asked for, they cannot be rerun.
func (f *Finisher) message(run api.Run) (string, api.Advice) {
	otherwise := ""
	if n := f.otherwise(); n > 0 {
		otherwise = fmt.Sprintf("; %d of these came in with other arguments or in another environment: only a run with those shows whether they pass", n)
	}
	allGone := f.Sel != nil && run.Outstanding > 0 && len(f.Sel.Gone) >= run.Outstanding
	switch {
	case f.Sel != nil && len(f.Sel.Gone) > 0 && run.Outstanding == 0 && run.Verdict == api.NothingRan:
		return "nothing is outstanding any more: what was does not exist", api.Advice{Operation: api.AdviseRun}
	case allGone && run.Verdict == api.NothingRan:
		return "nothing that is outstanding exists here any more" + otherwise, api.Advice{Operation: api.AdviseRunGone}
	case run.Verdict == api.BuildFailed && f.Sel != nil:
		return "", ledger.SlipAdvice(run, f.Sel.Requested)
	case run.Verdict != api.Passed:
		return "", api.Advice{}
	}
	message, advice := passMessage(run, f.everything() || leavesNothingOut(run.Affected))
	switch {
	case allGone:
		return message + "; no such tests exist here any more" + otherwise, api.Advice{Operation: api.AdviseRunGone}
	case run.Outstanding == 0 || f.Sel != nil || run.Selection.Narrows():
		return message, advice
	case otherwise != "":
		return message + otherwise, api.Advice{Operation: api.AdviseOutstanding}
	}
	return message, api.Advice{Operation: api.AdviseDrop}
}

// otherwise counts what is outstanding and came in under other circumstances than
// those of this run.
func (f *Finisher) otherwise() int {
	n := 0
	for _, e := range f.left.Entries {
		if e.Args != "" && e.Args != f.ArgsKey() {
			n++
		}
	}
	return n
}

// passMessage says what a pass leaves open.
func passMessage(run api.Run, everything bool) (string, api.Advice) {
	switch {
	case run.Outstanding > 0:
		return run.Outstood() + " still outstanding: failed, did not finish or never started, and not passed since", api.Advice{}
	case !everything && run.Affected != nil:
		return "nothing is outstanding; the other tests were not run", api.Advice{Operation: api.AdviseRun}
	case !everything:
		return "nothing is outstanding any more; the other tests were not run again", api.Advice{Operation: api.AdviseRun}
	}
	return "", api.Advice{}
}
