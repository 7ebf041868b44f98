package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// Diff compares two runs of one language. It starts no plugin.
func Diff(ctx context.Context, k *ledger.Keeper, req api.DiffRequest) (api.RunDiff, error) {
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if err != nil {
		return api.RunDiff{}, err
	}
	warnings := led.Warnings()
	pair, err := findPair(ctx, led, req)
	if err != nil {
		return api.RunDiff{}, err
	}
	if req.ThresholdPercent <= 0 {
		req.ThresholdPercent = api.DefaultSlowerPercent
	}
	d := differ{ledger: led, pair: pair, threshold: req.ThresholdPercent}
	d.RunDiff = api.RunDiff{
		Schema: api.DiffSchema, Language: pair.now.Language, ThresholdPercent: req.ThresholdPercent, Warnings: warnings,
		Before: describeRun(led, pair.before), Now: describeRun(led, pair.now), Notes: pair.notes,
		NewFailures: []api.DiffedTest{}, Fixed: []api.DiffedTest{}, StillFailing: []api.DiffedTest{},
		Vanished: []api.DiffedTest{}, NewlySkipped: []api.DiffedTest{}, New: []api.DiffedTest{},
		Slower: []api.SlowerTest{}, More: []api.GrownMeasure{},
	}
	if err := d.compare(ctx); err != nil {
		return d.RunDiff, err
	}
	d.Message = d.summarize()
	return d.RunDiff, ctx.Err()
}

// describeRun describes a run of a comparison.
func describeRun(led *ledger.Ledger, run history.Run) api.DiffedRun {
	return api.DiffedRun{
		RunID: run.ID, SessionID: run.SessionID, Kind: run.Kind, Verdict: run.Verdict, StartedAt: run.StartedAt,
		AgeS: timeSince(led.Keeper, run).Seconds(), Counts: run.Counts, Whole: run.Whole, Source: describeSource(led, run),
		MixedState: run.MixedState, Origin: run.Origin,
	}
}

// runPair is what is compared.
type runPair struct {
	before, now history.Run
	notes       []api.Note
}

// findPair finds the two runs.
func findPair(ctx context.Context, led *ledger.Ledger, req api.DiffRequest) (runPair, error) {
	var p runPair
	var err error
	switch {
	case req.Before == "" && req.Now == "":
		return findLatestPair(ctx, led, req.Language)
	case req.Now == "":
		if p.before, err = led.FindRun(ctx, req.Before, req.Language); err != nil {
			return p, err
		}
		if p.now, err = led.FindRun(ctx, "last", p.before.Language); err != nil {
			return p, err
		}
		if p.now.ID == p.before.ID {
			return findPairBefore(ctx, led, p.now)
		}
	case req.Before == "":
		if p.now, err = led.FindRun(ctx, req.Now, req.Language); err != nil {
			return p, err
		}
		if p, err = findPairBefore(ctx, led, p.now); err != nil {
			return p, err
		}
	default:
		if p.before, err = led.FindRun(ctx, req.Before, req.Language); err != nil {
			return p, err
		}
		if p.now, err = led.FindRun(ctx, req.Now, req.Language); err != nil {
			return p, err
		}
	}
	return p, p.check(req.Language)
}

// check refuses runs that cannot be compared at all.
func (p runPair) check(language string) error {
	for _, run := range []history.Run{p.before, p.now} {
		switch {
		case run.State != api.StateFinished:
			return &api.UsageError{Reason: "run " + run.ID + " is still in progress", Fix: "compare it when it has ended"}
		case language != "" && run.Language != language:
			return &api.UsageError{Reason: fmt.Sprintf("run %s is of %s tests, not of %s tests", run.ID, run.Language, language)}
		}
	}
	switch {
	case p.before.Language != p.now.Language:
		return &api.UsageError{
			Reason: fmt.Sprintf("run %s is of %s tests and run %s of %s tests: they have no test in common", p.before.ID, p.before.Language, p.now.ID, p.now.Language),
			Fix:    "name two runs of one language", Advice: api.Advice{Operation: api.AdviseRuns},
		}
	case p.before.ID == p.now.ID:
		return &api.UsageError{Reason: "run " + p.now.ID + " cannot be compared with itself", Fix: "name another one"}
	}
	return nil
}

// summarize sums up a comparison. It does not say that nothing differs if nothing was
// compared.
func (d *differ) summarize() string {
	c := d.Counts
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(c.NewFailures, "newly failing")
	add(c.FailingNotRun, "failing and not run before")
	add(c.Fixed, "fixed")
	add(c.PassedFlaky, "passed this time and flaky")
	add(c.PassedOtherwise, "passed with other arguments, settings or tools")
	still := "still failing"
	if c.OtherFailure > 0 {
		still += fmt.Sprintf(" (%d differently)", c.OtherFailure)
	}
	add(c.StillFailing, still)
	add(c.Vanished, "vanished")
	add(c.NewlySkipped, "newly skipped")
	add(c.New, "new")
	add(c.Renamed, "renamed")
	compared := c.NewFailures + c.Fixed + c.PassedFlaky + c.PassedOtherwise + c.StillFailing + c.NewlySkipped + c.Renamed + c.Alike
	text := ""
	switch {
	case len(parts) > 0:
		add(c.Alike, "as before")
	case compared == 0:
		text = "nothing could be compared: no test ran in both"
	default:
		text = "no difference"
		add(c.Alike, "as before")
	}
	add(c.NotRun, "not run now")
	if len(parts) > 0 {
		text = strings.TrimPrefix(text+"; ", "; ") + d.nameKinds() + ": " + strings.Join(parts, ", ")
	}
	if c.Slower > 0 {
		text += "; " + api.Plural(c.Slower, "test") + " slower"
	}
	if c.More > 0 {
		text += "; " + api.Plural(c.More, "measure") + " grew"
	}
	return text
}

// nameKinds names what a comparison counts: everything that has a result of its own.
func (d *differ) nameKinds() string {
	parts, suites := false, false
	for _, side := range []results{d.before, d.now} {
		for _, s := range side {
			parts = parts || s.Root != "" && s.Root != s.Test
		}
	}
	for _, list := range [][]api.DiffedTest{d.NewFailures, d.FailingNotRun, d.StillFailing, d.Fixed, d.PassedFlaky, d.PassedOtherwise} {
		suites = suites || slices.ContainsFunc(list, func(t api.DiffedTest) bool { return t.Test == "" })
	}
	switch {
	case parts && suites:
		return "tests, subtests and suites"
	case parts:
		return "tests and subtests"
	case suites:
		return "tests and suites"
	}
	return "tests"
}

// differInNames reports whether one of two runs of everything has a test that the other
// lacks.
func (d *differ) differInNames() bool {
	for _, sides := range [][2]results{{d.before, d.now}, {d.now, d.before}} {
		for t := range sides[0] {
			if _, both := sides[1][t]; !both && t.Test != "" {
				return d.pair.before.Complete() && d.pair.now.Complete()
			}
		}
	}
	return false
}

// renameTests gives tests of the earlier run their present names, if these were changed in
// between or contain addresses.
func (d *differ) renameTests() {
	gone, come := onlyIn(d.before, d.now), onlyIn(d.now, d.before)
	ended := func(tests []sdk.TestID, in results) (list []classify.Ended) {
		for _, t := range tests {
			list = append(list, classify.Ended{TestID: t, Outcome: in[t].Outcome})
		}
		return list
	}
	for was, is := range classify.SameTests(ended(gone, d.before), ended(come, d.now)) {
		d.before[is] = d.before[was]
		delete(d.before, was)
	}
	if !d.pair.isWhole(d.pair.before) || !d.pair.isWhole(d.pair.now) {
		return
	}
	d.was = map[sdk.TestID]string{}
	for was, is := range classify.Renames(listDeclared(gone, d.before, d.now), listDeclared(come, d.now, d.before)) {
		d.before[is] = d.before[was]
		d.was[is] = was.Test
		delete(d.before, was)
		for _, part := range gone {
			s := d.before[part]
			rest, inside := strings.CutPrefix(part.Test, was.Test)
			now := sdk.TestID{Suite: is.Suite, Test: is.Test + rest}
			if there, ok := d.now[now]; inside && part.Suite == was.Suite && s.Root == was.Test && ok && there.Root == is.Test {
				d.before[now], d.was[now] = s, part.Test
				delete(d.before, part)
			}
		}
	}
}

// onlyIn returns the tests of a run that another lacks.
func onlyIn(here, there results) (tests []sdk.TestID) {
	for t := range here {
		if _, both := there[t]; !both && t.Test != "" {
			tests = append(tests, t)
		}
	}
	return tests
}

// listDeclared returns the tests that a run of everything lists, in suites broken in
// neither run.
func listDeclared(tests []sdk.TestID, in, other results) (list []classify.Declared) {
	var all []classify.Declared
	for t, s := range in {
		if s.Root == "" || s.Root == t.Test {
			all = append(all, classify.Declared{TestID: t, File: s.File, Line: s.Line, Body: s.Body})
		}
	}
	for _, t := range tests {
		s, ok := in[t]
		if ok && (s.Root == "" || s.Root == t.Test) && !other.isBroken(t.Suite) && !in.isBroken(t.Suite) && s.Outcome != history.NeverStarted {
			list = append(list, classify.Declared{TestID: t, File: s.File, Line: s.Line, Body: s.Body})
		}
	}
	return classify.Placed(list, all)
}
