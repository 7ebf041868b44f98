package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// settlement updates what is on record of the workspace by a run that has its verdict.
type settlement struct{ *conclusion }

// settle updates the outstanding set and the history, completes the run's object with what
// they know, and finishes its record.
func (c settlement) settle(ctx context.Context) error {
	gone := c.updateOutstanding(ctx)
	if c.plan.isLast {
		go c.keeper.Host.Close(ctx) // a plugin takes milliseconds to end
	}
	if err := c.record.finishHistory(ctx, c.run, c.isWhole(), c.soundSuites()); err != nil {
		noteUnrecorded(c.run, err)
	}
	c.tellGone(ctx, gone)
	err := c.record.finish(ctx, c.run)
	ledger.KeepSuiteWords(ctx, c.plan.Ledger, c.plan.Project)
	return err
}

// updateOutstanding updates the outstanding set, and returns what left it without a pass.
func (c settlement) updateOutstanding(ctx context.Context) (gone []outstanding.Entry) {
	if c.plan.sparesOutstanding() {
		return nil
	}
	if c.run.Verdict == api.Passed {
		c.first.fold.CountAsPassed(c.flaky)
	}
	reach := c.findReach()
	c.findGone(ctx, reach)
	if c.err != nil {
		c.first.fold.MarkRunUnknown(outstanding.WhyTool)
	}
	var otherwise []outstanding.Entry
	set, err := c.replaceSet(ctx, func(current outstanding.Set) outstanding.Set {
		after := c.first.fold.After(current, reach)
		if c.fallback != nil {
			after = c.fallback.fold.After(after, outstanding.Partial)
		}
		if c.isRedWithoutName(after) || c.run.CaveatText(api.CaveatMisplaced) != "" {
			c.first.fold.MarkRunUnknown(outstanding.WhyRed(*c.run))
			after = c.first.fold.After(after, reach)
		}
		gone, otherwise = c.leftWithoutPass(current, after), c.first.fold.FindPassedOtherwise(after)
		return after
	})
	c.run.Warnings = append(c.run.Warnings, describePassedOtherwise(c.plan.withoutNext(otherwise))...)
	if err != nil {
		noteUnrecorded(c.run, err)
	}
	c.run.OutstandingCounts = set.Counts()
	c.run.Outstanding = c.run.OutstandingCounts.Total()
	c.run.OutstandingQuarantined = c.countQuarantined(ctx, set)
	if c.run.Message == "" {
		c.run.Message, c.run.Advice = c.plan.composeMessage(*c.run, set, func() string { return c.describeNothing(ctx) })
	}
	return gone
}

// isRedWithoutName reports whether the run is red and nothing in it can be named as the
// cause: then everything is outstanding.
func (c settlement) isRedWithoutName(after outstanding.Set) bool {
	named := c.first.fold.HasRed() || c.fallback != nil && c.fallback.fold.HasRed()
	broken := c.run.Cancelled && c.run.Verdict == api.Incomplete
	return api.IsRed(c.run.Verdict) && !named && c.run.From == nil && !c.isExplainedByRefusal() && !broken && (c.plan.isOfEverything() || !c.plan.leavesRequested(after))
}

// leavesRequested reports whether something that a rerun requested is still outstanding:
// that names what is wrong.
func (p *Plan) leavesRequested(after outstanding.Set) bool {
	left := map[sdk.TestID]bool{}
	for _, e := range after.Entries {
		left[e.TestID] = true
	}
	return slices.ContainsFunc(p.Chosen.Requested, func(t outstanding.Target) bool { return left[t.TestID] })
}

// isExplainedByRefusal reports whether a run is red only because something was asked for
// that the runner does not know, and what else it left undone is known.
func (x *execution) isExplainedByRefusal() bool {
	return x.err == nil && x.first.Project.ID.List && x.first.Col.Tally.Refused.Explain(x.first.Col.Tally)
}

// replaceSet replaces the outstanding set, and returns it. Without a history nothing is
// stored.
func (c settlement) replaceSet(ctx context.Context, update func(outstanding.Set) outstanding.Set) (outstanding.Set, error) {
	if c.plan.Ledger == nil {
		return update(c.plan.before), nil
	}
	done := false
	set, err := c.plan.Ledger.UpdateOutstanding(ctx, c.run.Language, func(current outstanding.Set) outstanding.Set {
		done = true
		return update(current)
	})
	if err != nil && !done {
		set = update(c.plan.before)
	}
	return set, err
}

// composeMessage says what a pass leaves open, and what to do about outstanding tests that
// no longer exist and so cannot be rerun.
func (p *Plan) composeMessage(run api.Run, left outstanding.Set, nothing func() string) (string, api.Advice) {
	otherwise := ""
	if n := p.countOtherwise(left); n > 0 {
		which := fmt.Sprintf("%d of these", n)
		if n == 1 && left.Counts().Total() == 1 {
			which = "it"
		}
		otherwise = "; " + which + " failed with other arguments or in another environment, and only a pass with those counts"
	}
	if run.From != nil && run.Verdict == api.Passed {
		message, advice := describePass(run, p.isOfEverything(), nothing)
		return strings.TrimSuffix("all that was red in "+run.From.String()+" passes here; "+message, "; "), advice
	}
	allGone := p.Chosen != nil && left.Len() > 0 && !slices.ContainsFunc(left.Entries, func(e outstanding.Entry) bool {
		return !slices.ContainsFunc(p.Chosen.Gone, func(g api.Requested) bool { return g.TestID == e.TestID })
	})
	switch {
	case p.Chosen != nil && len(p.Chosen.Gone) > 0 && run.Outstanding == 0 && run.Verdict == api.NothingRan:
		return nothing() + " any more: what was no longer exists", api.Advice{Operation: api.AdviseRun}
	case allGone && run.Verdict == api.NothingRan:
		return "nothing that is outstanding exists here any more" + otherwise, api.Advice{Operation: api.AdviseRunGone}
	case run.Verdict == api.BuildFailed && p.Chosen != nil:
		return "", ledger.AdviseMissingSuite(run, p.Chosen.Requested)
	case run.Verdict != api.Passed:
		return "", api.Advice{}
	case run.Shard != nil:
		return fmt.Sprintf("only shard %s ran here", run.Shard), api.Advice{Operation: api.AdviseMerge}
	}
	message, advice := describePass(run, p.isOfEverything() || leavesNothingOut(run.Affected), nothing)
	switch {
	case allGone:
		return message + "; no such tests exist here any more" + otherwise, api.Advice{Operation: api.AdviseRunGone}
	case run.OutstandingUnquarantined() == 0 || p.Chosen != nil || run.Selection.Narrows():
		return message, advice
	case otherwise != "":
		return message + otherwise, api.Advice{Operation: api.AdviseOutstanding}
	}
	return message, api.Advice{Operation: api.AdviseDrop}
}

// describeNothing says that nothing is outstanding: in the run's language, where something
// is in another one, or that is unknown.
func (c settlement) describeNothing(ctx context.Context) string {
	const nothing = "nothing is outstanding"
	if c.plan.Ledger == nil {
		return nothing
	}
	if beside, err := ledger.OutstandingBeside(ctx, c.plan.Ledger, c.run.Language); err != nil || len(beside) > 0 {
		return nothing + " in " + c.run.Language
	}
	return nothing
}

// countOtherwise counts what is outstanding since runs with other arguments, or in another
// environment, than this one.
func (p *Plan) countOtherwise(left outstanding.Set) int {
	return left.Only(func(e outstanding.Entry) bool { return e.Args != "" && e.Args != p.argsKey() }).Counts().Total()
}

// withoutNext drops the entries that a later run of the same rerun covers.
func (p *Plan) withoutNext(left []outstanding.Entry) []outstanding.Entry {
	return slices.DeleteFunc(left, func(e outstanding.Entry) bool {
		return slices.ContainsFunc(p.next, func(w *outstanding.Way) bool { return w.Proves(e.Way) })
	})
}

// describePass says what a pass leaves open.
func describePass(run api.Run, everything bool, nothing func() string) (string, api.Advice) {
	switch {
	case run.OutstandingUnquarantined() > 0:
		kept := ""
		if n := run.OutstandingQuarantined; n > 0 {
			kept = fmt.Sprintf("; %d of these in quarantine", n)
		}
		return run.DescribeOutstanding() + " still outstanding: failed, did not finish or never started, and not passed since" + kept, api.Advice{}
	case !everything && run.OutstandingQuarantined > 0:
		return fmt.Sprintf("%s but %s in quarantine; the other tests were not run", nothing(), api.Plural(run.OutstandingQuarantined, "failure")), api.Advice{Operation: api.AdviseRun}
	case !everything && run.Affected != nil:
		return nothing() + "; the other tests were not run", api.Advice{Operation: api.AdviseRun}
	case !everything:
		return nothing() + " any more; the other tests were not run again", api.Advice{Operation: api.AdviseRun}
	}
	return "", api.Advice{}
}

// nameWay returns the arguments and settings of a way as a user reads them.
func nameWay(w *outstanding.Way) string {
	var texts []string
	for _, word := range w.Words() {
		if number, rest, ok := strings.Cut(word, " "); ok && len(number) == 4 && strings.Trim(number, "0123456789") == "" {
			word = rest
		}
		texts = append(texts, word)
	}
	if len(texts) == 0 {
		return "no arguments"
	}
	return prose.ShellLine(texts)
}

// maxPassedOtherwise is how many tests a note about a pass in another way names.
const maxPassedOtherwise = 5

// describePassedOtherwise says which tests passed and stay outstanding, since they failed
// in another way.
func describePassedOtherwise(left []outstanding.Entry) []api.Note {
	by := map[string][]outstanding.Entry{}
	for _, e := range left {
		by[nameWay(e.Way)] = append(by[nameWay(e.Way)], e)
	}
	var notes []api.Note
	for _, way := range slices.Sorted(maps.Keys(by)) {
		list := prose.Listed(by[way], len(by[way]), maxPassedOtherwise, func(e outstanding.Entry) string { return prose.QualifiedName(e.Suite, e.Test) })
		count, verb := outstanding.Set{Entries: by[way]}.Counts(), "was"
		if len(by[way]) > 1 {
			verb = "were"
		}
		notes = append(notes, api.Note{
			Code: api.NotePassedOtherwise, Advice: api.Advice{Operation: api.AdviseRerun},
			Text: fmt.Sprintf("passed with other arguments: %s passed here, but %s red with %s and not run like that since: %s", count, verb, way, list),
		})
	}
	return notes
}
