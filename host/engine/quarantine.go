package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/git"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/verdict"
)

// maxMisplaced is how many entries of tests that do not exist a reason names.
const maxMisplaced = 3

// loadQuarantine returns the quarantined tests of a project's language. The quarantine
// file of an upload does not count.
func loadQuarantine(k *ledger.Keeper, p project.Project) ([]quarantine.Entry, error) {
	if k.Box != nil {
		return nil, nil
	}
	f, err := quarantine.Load(p.Root.Path)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(f.Entries, func(e quarantine.Entry) bool { return !p.IsCalled(e.Language) }), nil
}

// newJudge returns a judge of the quarantined tests; nil if there are none.
func (p *Plan) newJudge() *quarantine.Judge {
	if len(p.quarantine) == 0 {
		return nil
	}
	return quarantine.NewJudge(p.quarantine, p.Run.StartedAt)
}

// markQuarantined marks the failures that do not decide.
func (c *conclusion) markQuarantined() {
	excused := tally.InQuarantine(c.tally).Excused
	c.run.Quarantined = len(excused)
	for i, f := range c.run.Failures {
		if e, ok := excused[f.TestID]; ok {
			c.run.Failures[i].Quarantine = e.Reason
		}
	}
}

// addQuarantine adds what the verdict must say about the quarantine, and notes entries
// that no longer apply.
func (c *conclusion) addQuarantine(ctx context.Context, e *verdict.Evidence) {
	if len(c.plan.quarantine) == 0 {
		return
	}
	found := tally.InQuarantine(c.tally)
	for _, entry := range found.Expired {
		c.run.Note(api.NoteQuarantine, fmt.Sprintf("the quarantine of %s expired on %s: its failure counts", nameEntry(entry), entry.Expires))
	}
	for _, entry := range found.Otherwise {
		c.run.Note(api.NoteQuarantine, nameEntry(entry)+" failed differently than its quarantine says: its failure counts")
	}
	if e.Quarantined > 0 {
		e.Quarantine = describeFile(ctx, c.plan, quarantine.FileName)
	}
	if len(found.Unseen) > 0 && c.showsAll(*e) {
		var names []string
		for _, entry := range found.Unseen {
			names = append(names, nameEntry(entry))
		}
		e.Misplaced = prose.Listed(names, len(names), maxMisplaced, prose.Line) + " in quarantine " + plural(len(names), "does", "do") + " not exist"
	}
}

// findMisplaced says what a rerun would find again: nothing is meant but runs with a
// quarantine of a test that does not exist, and neither the sources, the file of entries nor
// which of these expired has changed since. If any of it is unknown, it is empty.
func (r *Rerunning) findMisplaced(ctx context.Context) (found string) {
	if slices.ContainsFunc(r.meant.Entries, func(e outstanding.Entry) bool { return e.Why != outstanding.WhyMisplaced }) {
		return ""
	}
	entries, err := loadQuarantine(r.Keeper, r.Project)
	now, unread := r.Ledger.WorkingTree(ctx, nil)
	if errors.Join(err, unread) != nil || !slices.ContainsFunc(now.Files, func(f fingerprint.File) bool {
		return ledger.RelateToWorkspace(now.Top, r.Project.Root.Path, f.Path) == quarantine.FileName
	}) {
		return "" // such as a file that git ignores
	}
	for _, e := range r.meant.Entries {
		run, err := r.Ledger.Artifacts.Run(e.LastRunID)
		wrong := run.CaveatText(api.CaveatMisplaced)
		if err != nil || wrong == "" || run.MixedState || run.Source == nil || run.Source.Fingerprint != now.ID ||
			slices.ContainsFunc(entries, func(e quarantine.Entry) bool { return e.IsExpired(r.Keeper.Cfg.Now()) != e.IsExpired(run.StartedAt) }) {
			return ""
		}
		found = fmt.Sprintf("nothing has changed since run %s: %s", run.RunID, wrong)
	}
	return found
}

// showsAll reports whether a test without a result cannot exist: everything was asked for,
// and came to its end.
func (c *conclusion) showsAll(e verdict.Evidence) bool {
	s := c.run.Selection
	// A rerun of a whole run, red only for such an entry, must not turn green by leaving the question out.
	asked := c.plan.Chosen == nil && c.run.Kind == api.KindRun || c.plan.isOfEverything() && c.run.Kind == api.KindRerun
	everything := c.plan.merged != nil && c.plan.merged.isWhole() || asked && !s.Narrows() && len(c.plan.runnerArgs()) == c.plan.defaults
	ended := e.Unfinished+e.NeverStarted+e.SuitesUnfinished+e.SuitesAborted+e.BuildFailures+e.Interruptions == 0
	return everything && len(s.Configured) == 0 && ended && e.DamagedBytes == 0 && !e.Cancelled && !e.TimedOut && e.Signal == "" && e.RunError == "" && c.err == nil
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func nameEntry(e quarantine.Entry) string {
	return prose.Line(prose.QualifiedName(e.Suite, e.Test))
}

// describeFile says whether a file differs from the last commit, or changed with it; "" if
// neither, or unknown. A reviewer must see that a change excuses failures.
func describeFile(ctx context.Context, p *Plan, name string) string {
	if p.Ledger == nil {
		return ""
	}
	source := p.Ledger.SourceConfig(ctx)
	if source.Git == "" {
		return ""
	}
	return git.New(source.Git, p.Project.Environ).In(p.Project.Root.Path).DescribeFile(ctx, name)
}

// countQuarantined counts what a run leaves outstanding only because of known failures: of
// the test itself, in this run or before, or of its subtests.
func (c settlement) countQuarantined(ctx context.Context, set outstanding.Set) int {
	if len(c.plan.quarantine) == 0 {
		return 0
	}
	found := tally.InQuarantine(c.tally)
	left := set.Only(func(e outstanding.Entry) bool {
		_, excused := found.Excused[e.TestID]
		return e.LastRunID != c.run.RunID || !found.Derived[e.TestID] && (!excused || e.Reason != outstanding.ReasonFailed)
	})
	if c.plan.Ledger != nil {
		earlier := left.Only(func(e outstanding.Entry) bool { return e.LastRunID != c.run.RunID })
		isKnown := standing.QuarantinedBy(ctx, c.plan.Ledger, c.plan.quarantine, c.run.StartedAt, earlier)
		left = left.Only(func(e outstanding.Entry) bool { return e.LastRunID == c.run.RunID || !isKnown(e) })
	}
	return set.Counts().Total() - left.Counts().Total() // what is outstanding otherwise, too, is not known
}

// leaveQuarantined leaves out of the rerun the tests that are outstanding only because of
// their known failure, since a rerun would never clear them, and says so.
func (r *Rerunning) leaveQuarantined(ctx context.Context) (said string, err error) {
	entries, err := loadQuarantine(r.Keeper, r.Project)
	if err != nil || len(entries) == 0 {
		return "", err
	}
	isKnown := standing.QuarantinedBy(ctx, r.Ledger, entries, r.Keeper.Cfg.Now(), r.meant)
	all := r.meant
	if r.meant = all.Only(func(e outstanding.Entry) bool { return !isKnown(e) }); r.meant.Len() == all.Len() {
		return "", ctx.Err()
	}
	n := all.Only(isKnown).Counts().Total()
	return fmt.Sprintf("%s in quarantine, which %s known, %s not rerun", api.Plural(n, "failure"), plural(n, "is", "are"), plural(n, "was", "were")), ctx.Err()
}

// isLastGreen reports whether the session's last run passed.
func isLastGreen(led *ledger.Ledger, slot artifacts.Slot) bool {
	last, err := led.Artifacts.Run(slot.RunID)
	return err == nil && last.Verdict == api.Passed
}
