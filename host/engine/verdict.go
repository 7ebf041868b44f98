package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// decideVerdict decides the verdict by all the evidence.
func (c *conclusion) decideVerdict(ctx context.Context) {
	t, exit := c.tally, c.exit
	e := t.Evidence()
	e.Exited = len(c.first.Done) > 0 && !exit.Unknown
	e.ExitCode, e.Signal, e.Cancelled = exit.Code, exit.Signal, exit.Cancelled
	e.FailedExit = saysTestsFailed(c.plan.Project, exit) && !c.first.hasUnexplainedExit()
	e.TimedOut = c.run.TimedOut
	if exit.TimedOut {
		e.DeadlineS = c.run.TimeoutS
	}
	e.Untold = wasCut(exit) && t.IsUntold()
	e.Flaky, e.Quarantined = c.run.Counts.Flaky, c.run.Quarantined
	e.FlakyPass = c.plan.retries.FlakyPasses && c.isOnlyFlaky()
	if e.FlakyPass {
		e.FlakyBy = describeFile(ctx, c.plan, config.FileName)
	}
	e.OutputTail = c.first.readTail()
	e.Filtered = (c.run.Kind == api.KindRun || c.run.Kind == api.KindMerge) && c.run.Selection.Narrows()
	for _, d := range c.first.Done {
		e.OnlyInside = e.OnlyInside || c.plan.Chosen == nil && d.command.SelectsOnlyInsideTests
	}
	e.SomeParts = strings.Contains(c.run.Selection.Filter, "/")
	e.Narrowing, e.RunnerArgs = c.plan.describeArgs()
	if c.run.Kind == api.KindRun || c.run.Kind == api.KindMerge {
		e.Configured = strings.Join(c.run.Selection.Configured, ", ")
	}
	if strings.HasPrefix(e.Configured, e.Narrowing+" in ") {
		e.Narrowing = "" // a merge does not know which arguments came from a file
	}
	e.Part = c.plan.part
	e.Shard = c.run.Selection.Shard
	e.Selected, e.Total = c.run.Selection.Selected, c.run.Selection.Total
	if c.err != nil {
		e.ToolError = c.err.Error()
	}
	if from := c.run.From; from != nil {
		e.From, e.Unanswered = from.String(), api.DescribeUnanswered(*c.run)
		e.Configured = c.plan.narrowedHere()
	}
	c.addQuarantine(ctx, &e)
	if m := c.plan.merged; m != nil {
		m.addEvidence(&e, c.tally)
	}
	d := verdict.Decide(e)
	c.run.Verdict, c.run.Reason, c.run.Caveats = d.Verdict, d.Reason, d.Caveats
	if c.plan.Chosen != nil && c.run.Affected != nil && d.Verdict == api.NothingRan && c.run.Affected.ChosenTests+c.run.Affected.ChosenSuites == 0 {
		c.run.Reason = explainUnaffected(*c.run.Affected)
	}
	if d.Verdict == api.NothingRan && len(c.meant) > 0 {
		c.run.Note(api.NoteSelection, api.SuggestNames(c.meant))
	}
	if c.passesEmpty() {
		c.run.Verdict, c.run.Reason = api.Passed, explainEmpty(*c.run.Shard)
	}
	for i := range c.run.Requested {
		if r := &c.run.Requested[i]; r.Suite == "" && r.Test == "" {
			r.Outcome, r.Why = judgeAll(c.run.Verdict)
		}
	}
	c.explainUncomposed()
}

// judgeAll returns the outcome of a rerun of everything.
func judgeAll(v api.Verdict) (api.Outcome, string) {
	switch v {
	case api.Passed:
		return api.OutcomePassed, ""
	case api.NothingRan:
		return api.OutcomeDidNotRun, "no test ran"
	}
	return api.OutcomeFailed, ""
}

// explainUncomposed explains why requested tests did not run for which the plugin has no
// command. Those that are gone come last and have a reason already.
func (c *conclusion) explainUncomposed() {
	if len(c.plan.uncomposed) == 0 {
		return
	}
	for i := range len(c.run.Requested) - len(c.plan.Chosen.Gone) {
		r := &c.run.Requested[i]
		if r.Outcome == api.OutcomeDidNotRun && c.plan.uncomposed[r.TestID] {
			r.Why = "plugin " + c.plan.Project.ID.Name + " has no command for it"
		}
	}
}

// passesEmpty reports whether a shard passes although no test ran in it: the plan gives it
// none, but others some.
func (c *conclusion) passesEmpty() bool {
	s := c.run.Shard
	if s == nil || c.run.Verdict != api.NothingRan || c.err != nil || c.plan.total == 0 || c.exit.Cancelled || c.exit.TimedOut {
		return false
	}
	return !slices.ContainsFunc(s.Planned, func(p api.PlannedSuite) bool { return p.Tests != nil || p.Ended != api.SuiteEndNoTests })
}

// explainEmpty says why a shard without a test has passed.
func explainEmpty(s api.Shard) string {
	if len(s.Planned) == 0 {
		return fmt.Sprintf("the plan gives shard %s nothing", s)
	}
	return fmt.Sprintf("the plan gives shard %s no tests: %s of it %s none", s, api.Plural(len(s.Planned), "suite"), plural(len(s.Planned), "has", "have"))
}

// describeArgs formats the runner arguments that are known to leave tests out, and the
// others.
func (p *Plan) describeArgs() (narrowing, others string) {
	flags, rest := project.SplitArgs(p.Project.ID.RunnerFlags, p.runnerArgs())
	var narrow, other []string
	taken := 0
	for _, f := range flags {
		isDefault := taken < p.defaults
		taken += len(f.Words)
		switch {
		case f.Effect != sdk.FlagNarrows:
			other = append(other, f.Words...)
		case !isDefault: // otherwise Selection.Configured names it
			narrow = append(narrow, f.Words...)
		}
	}
	return prose.ShellLine(narrow), prose.ShellLine(append(other, rest...))
}

// narrowedHere returns the flags that leave tests out and are not arguments of the run: the
// variables here have them, whatever ran elsewhere.
func (p *Plan) narrowedHere() string {
	if p.way == nil {
		return ""
	}
	var words []string
	flags, _ := project.SplitArgs(p.Project.ID.RunnerFlags, p.way.Narrows)
	for _, f := range flags {
		if f.Effect == sdk.FlagNarrows && !slices.Contains(p.runnerArgs(), f.Words[0]) {
			words = append(words, f.Words...)
		}
	}
	return prose.ShellLine(words)
}

// saysTestsFailed reports whether an exit says that tests failed, and nothing else.
func saysTestsFailed(p project.Project, e sdk.Exit) bool {
	if e.Signal != "" || e.TimedOut || e.Cancelled || e.Unknown {
		return false
	}
	if codes := p.ID.FailedExits; len(codes) > 0 {
		return slices.Contains(codes, e.Code)
	}
	return e.Code == 1
}

// findReach finds out how far the run got.
func (c *conclusion) findReach() outstanding.Reach {
	switch {
	case c.plan.merged != nil && !c.plan.merged.isWhole():
		return outstanding.Partial
	case len(c.first.Done) == 0: // nothing was tried
		return outstanding.Partial
	case !c.plan.isOfEverything() || c.run.Selection.Narrows() || c.run.Verdict == api.ToolError || c.run.Verdict == api.Incomplete:
		return outstanding.Partial
	case c.run.Verdict == api.Passed && c.plan.Chosen == nil && c.run.Quarantined == 0:
		return outstanding.Green
	}
	return outstanding.Ended
}

// isWhole reports whether the run was of everything and reached its end. Arguments of the
// user count against that, since only the runner knows what they leave out; those that
// every run has from a file do not.
func (c *conclusion) isWhole() bool {
	if c.plan.merged != nil {
		return c.findReach() >= outstanding.Ended
	}
	return c.plan.Chosen == nil && c.findReach() >= outstanding.Ended && len(c.plan.runnerArgs()) == c.plan.defaults && !c.plan.narrowed
}
