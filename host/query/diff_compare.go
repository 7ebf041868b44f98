package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// The words for a test without a result in a run.
const (
	absent = "absent"  // it did not exist
	notRun = "not_run" // it did not run
)

// side is a test's result in one run. Of several results the worst counts.
type side struct {
	history.Result
	// total is the time of its passes.
	total  time.Duration
	passes int
}

func (s side) trace() classify.Trace {
	return classify.Trace{Signature: s.Signature, Kind: s.Kind, Excerpt: s.Excerpt}
}

func (s side) mean() time.Duration { return s.total / time.Duration(max(s.passes, 1)) }

// results are the results of a run.
type results map[sdk.TestID]side

// readSide reads the results of a run.
func readSide(ctx context.Context, led *ledger.Ledger, run history.Run) (results, error) {
	all := results{}
	err := led.History.Results(ctx, run.ID, func(r history.Result) bool {
		s, twice := all[r.TestID]
		total, passes := s.total, s.passes
		if !twice || r.Outcome.Worse(s.Outcome) || r.Outcome == s.Outcome && s.Derived && !r.Derived {
			s.Result = r
		}
		if s.total, s.passes = total, passes; r.Outcome == history.Passed {
			s.total, s.passes = total+r.Duration, passes+1
		}
		if s.Outcome.Good() {
			s.Outcome = history.Passed
		}
		all[r.TestID] = s
		return ctx.Err() == nil
	})
	return all, cmp.Or(err, ctx.Err())
}

// isBroken reports whether a suite, or the whole run, failed outside its tests: a missing
// test then did not run.
func (r results) isBroken(suite string) bool {
	return r[sdk.TestID{Suite: suite}].Outcome.Bad() || r[sdk.TestID{}].Outcome.Bad()
}

// differ makes one comparison.
type differ struct {
	api.RunDiff
	ledger      *ledger.Ledger
	pair        runPair
	threshold   float64
	before, now results
	// was maps renamed tests to their earlier names.
	was map[sdk.TestID]string
}

func (d *differ) compare(ctx context.Context) (err error) {
	err = doBoth(
		func() (err error) { d.before, err = readSide(ctx, d.ledger, d.pair.before); return err },
		func() (err error) { d.now, err = readSide(ctx, d.ledger, d.pair.now); return err },
	)
	if err != nil {
		return err
	}
	d.renameTests()
	d.noteLimits()
	if d.Sources, err = d.ledger.Changes(ctx, d.pair.before.Fingerprint, d.pair.now.Fingerprint); err != nil {
		return err
	}
	for t, now := range d.now {
		if before, ok := d.before[t]; ok {
			d.compareTest(t, before, now)
		} else {
			d.addAppeared(t, now)
		}
	}
	for t, before := range d.before {
		if _, ok := d.now[t]; !ok {
			d.addGone(t, before)
		}
	}
	if err := d.findSlower(ctx); err != nil {
		return err
	}
	if err := d.findGrown(ctx); err != nil {
		return err
	}
	if err := d.addPlaces(ctx); err != nil {
		return err
	}
	d.sortLists()
	return d.addStandings(ctx)
}

// doBoth does two things concurrently, since reading a run of many thousand tests takes
// noticeable time.
func doBoth(one, two func() error) error {
	var wg sync.WaitGroup
	var errs [2]error
	wg.Go(func() { errs[0] = one() })
	wg.Go(func() { errs[1] = two() })
	wg.Wait()
	return errors.Join(errs[:]...)
}

// noteLimits says what prevents a complete comparison.
func (d *differ) noteLimits() {
	note := func(code api.NoteCode, text string) { d.Notes = append(d.Notes, api.Notes(code, text)...) }
	var short []string
	for _, run := range []history.Run{d.pair.before, d.pair.now} {
		switch {
		case run.Counts.BuildFailed > 0:
			note(api.NotePartly, fmt.Sprintf("run %s did not build %d of its suites: their tests did not run", run.ID, run.Counts.BuildFailed))
		case !run.Complete():
			short = append(short, "run "+run.ID+" "+shortfallOf(run))
		}
		if run.MixedState {
			note(api.NoteSources, fmt.Sprintf("files changed during run %s", run.ID))
		}
	}
	if len(short) > 0 {
		note(api.NotePartly, strings.Join(short, " and ")+": a test without a result there counts as not run, not as gone")
	}
	if d.pair.before.Setting() != d.pair.now.Setting() {
		text := "the runs differ in their arguments, settings or tools: what is missing in one of them may not exist there"
		if d.pair.differInSetting() {
			text += ", and any different result is due to these, as both saw the same sources"
		}
		note(api.NoteCompared, text)
	}
	if standing.SameSources(d.pair.before, d.pair.now) && d.differInNames() {
		note(api.NoteCompared, "both runs saw the same sources in the same environment: a test that only one of them has neither vanished nor is new")
	}
}

// shortfallOf says why a run that built did not get to every test.
func shortfallOf(run history.Run) string {
	switch {
	case run.Verdict != api.Passed && run.Verdict != api.Failed && run.Verdict != api.NothingRan, run.Counts.Unfinished+run.Counts.NeverStarted > 0:
		return "did not come to its end"
	case run.Kind == api.KindRerun:
		return "was a rerun"
	}
	return "did not cover everything"
}

// isWhole reports whether a test that is missing in a run does not exist there.
func (p runPair) isWhole(run history.Run) bool {
	return run.Complete() && p.before.Setting() == p.now.Setting() && !standing.SameSources(p.before, p.now)
}

// compareTest compares a test that both runs have.
func (d *differ) compareTest(t sdk.TestID, before, now side) {
	switch {
	case now.Outcome.Bad() && before.Outcome.Bad():
		d.addStillFailing(t, before, now)
	case now.Outcome.Bad():
		d.addFailed(t, now, ledger.OutcomeWord(before.Outcome))
	case now.Outcome == history.Passed && before.Outcome.Bad():
		if !before.Derived {
			d.addFixed(d.describeTest(t, now, ledger.OutcomeWord(before.Outcome)))
		}
	case now.Outcome == history.Skipped && before.Outcome.Conclusive():
		if d.now.mustName(t, now) {
			d.NewlySkipped = append(d.NewlySkipped, d.describeTest(t, now, ledger.OutcomeWord(before.Outcome)))
		}
	case now.Outcome == history.NeverStarted && before.Outcome != history.NeverStarted:
		d.Counts.NotRun++
	case t.Test != "" && d.was[t] != "" && (now.Root == "" || now.Root == t.Test):
		d.Renamed = append(d.Renamed, d.describeTest(t, now, ledger.OutcomeWord(before.Outcome)))
	case t.Test != "":
		d.Counts.Alike++
	}
}

// addStillFailing handles a test that failed and still fails. It skips a parent that fails
// only because of its subtests, which are named.
func (d *differ) addStillFailing(t sdk.TestID, before, now side) {
	if now.Derived {
		return
	}
	if before.Derived {
		d.addFailed(t, now, ledger.OutcomeWord(before.Outcome))
		return
	}
	test := d.describeTest(t, now, ledger.OutcomeWord(before.Outcome))
	test.Likeness = classify.Compare(before.trace(), now.trace())
	switch test.Likeness {
	case api.OtherMessage, api.OtherPlace, api.OtherKind:
		d.Counts.OtherFailure++
	}
	d.StillFailing = append(d.StillFailing, test)
}

// addFixed handles a test that failed and passes. On the same sources it is not fixed: the
// setting made the difference.
func (d *differ) addFixed(t api.DiffedTest) {
	if d.pair.differInSetting() {
		d.PassedOtherwise = append(d.PassedOtherwise, t)
	} else {
		d.Fixed = append(d.Fixed, t)
	}
}

// differInSetting reports whether the runs had the same sources, but other arguments,
// settings or tools.
func (p runPair) differInSetting() bool {
	before, now := p.before, p.now
	return before.Setting() != now.Setting() && now.Fingerprint != "" && now.Fingerprint == before.Fingerprint && !before.MixedState && !now.MixedState
}

func (d *differ) addFailed(t sdk.TestID, now side, was string) {
	switch {
	case now.Derived:
	case was == notRun:
		d.FailingNotRun = append(d.FailingNotRun, d.describeTest(t, now, was))
	default:
		d.NewFailures = append(d.NewFailures, d.describeTest(t, now, was))
	}
}

// addAppeared handles a test that only the present run has.
func (d *differ) addAppeared(t sdk.TestID, now side) {
	was := notRun
	if d.pair.isWhole(d.pair.before) && !d.before.isBroken(t.Suite) && d.before.couldRun(now) {
		was = absent
	}
	switch {
	case now.Outcome.Bad():
		if t.Test == "" {
			// A suite has results of its own only if something is wrong.
			if was = notRun; d.before.hasRun(t.Suite) {
				was = ledger.OutcomeWord(history.Passed)
			}
		}
		d.addFailed(t, now, was)
	case t.Test == "" || now.Outcome == history.NeverStarted:
	case was == notRun:
		d.Counts.NotRunBefore++
	case d.before.mustName(t, now):
		d.New = append(d.New, d.describeTest(t, now, was))
	}
}

// addGone handles a test that only the earlier run has.
func (d *differ) addGone(t sdk.TestID, before side) {
	switch {
	case t.Test == "":
		// A suite that was broken is fixed if its tests run now; one that is missing
		// altogether may have been left out. The run itself is not a test.
		if before.Outcome.Bad() && t.Suite != "" && d.now.hasRun(t.Suite) {
			d.addFixed(d.describeTest(t, before, ledger.OutcomeWord(before.Outcome)))
		}
	case before.Outcome == history.NeverStarted:
	case !d.pair.isWhole(d.pair.now) || d.now.isBroken(t.Suite) || !d.now.couldRun(before):
		d.Counts.NotRun++
	case d.now.mustName(t, before):
		test := d.describeTest(t, before, ledger.OutcomeWord(before.Outcome))
		test.Now = absent
		d.Vanished = append(d.Vanished, test)
	}
}

// hasRun reports whether tests of a suite ran and it is not broken.
func (r results) hasRun(suite string) bool {
	if r.isBroken(suite) {
		return false
	}
	for t, s := range r {
		if t.Test != "" && (suite == "" || t.Suite == suite) && s.Outcome.Conclusive() {
			return true
		}
	}
	return false
}

// couldRun reports whether a subtest could have run: its parent passed, or is missing
// altogether.
func (r results) couldRun(s side) bool {
	if s.Root == "" {
		return true
	}
	root, ok := r[sdk.TestID{Suite: s.Suite, Test: s.Root}]
	return !ok || root.Outcome == history.Passed
}

// mustName reports whether a test must be named besides its parent, which it need not be if
// that is missing or skipped, too.
func (r results) mustName(t sdk.TestID, s side) bool {
	if s.Root == "" || s.Root == t.Test {
		return true
	}
	root, ok := r[sdk.TestID{Suite: t.Suite, Test: s.Root}]
	return ok && root.Outcome != history.Skipped
}

// describeTest converts a test for the answer.
func (d *differ) describeTest(t sdk.TestID, s side, was string) api.DiffedTest {
	return api.DiffedTest{
		Suite: t.Suite, Test: t.Test, RenamedFrom: d.was[t], File: s.File, Line: s.Line, Was: was, Now: ledger.OutcomeWord(s.Outcome), Kind: s.Kind, Message: s.Excerpt,
	}
}

// addStandings adds, to the tests that fail or no longer do, their standing after the
// present run.
func (d *differ) addStandings(ctx context.Context) error {
	lists := [][]api.DiffedTest{d.NewFailures, d.FailingNotRun, d.StillFailing, d.Fixed, d.PassedOtherwise}
	var tests []sdk.TestID
	for _, list := range lists {
		for _, t := range list {
			tests = append(tests, sdk.TestID{Suite: t.Suite, Test: t.Test})
		}
	}
	if len(tests) == 0 {
		return nil
	}
	standings, err := standing.Standings(ctx, d.ledger, d.Language, tests, d.pair.now.SessionID, d.pair.now.Order+1)
	for _, list := range lists {
		for i, t := range list {
			if s, ok := standings[sdk.TestID{Suite: t.Suite, Test: t.Test}]; ok {
				list[i].Standing = &s
			}
		}
	}
	d.moveRegressions()
	d.moveFlaky()
	return err
}

// moveFlaky moves flaky tests out of the fixed ones.
func (d *differ) moveFlaky() {
	isFlaky := func(t api.DiffedTest) bool { return t.Standing != nil && t.IsFlaky() }
	for _, t := range d.Fixed {
		if isFlaky(t) {
			d.PassedFlaky = append(d.PassedFlaky, t)
			d.Counts.PassedFlaky++
			d.Counts.Fixed--
		}
	}
	d.Fixed = slices.DeleteFunc(d.Fixed, isFlaky)
}

// moveRegressions moves tests that did not run in the earlier run, but passed when they last
// ran, to the new failures.
func (d *differ) moveRegressions() {
	isNew := func(t api.DiffedTest) bool {
		return t.Standing != nil && (t.Classification == api.Regression || t.Classification == api.Unsteady && t.FailedRuns == 1)
	}
	for _, t := range d.FailingNotRun {
		if isNew(t) {
			d.NewFailures = append(d.NewFailures, t)
			d.Counts.NewFailures++
			d.Counts.FailingNotRun--
		}
	}
	d.FailingNotRun = slices.DeleteFunc(d.FailingNotRun, isNew)
	slices.SortFunc(d.NewFailures, byName)
	d.NewFailures = d.NewFailures[:min(len(d.NewFailures), api.MaxNames)]
}

func byName(a, b api.DiffedTest) int {
	return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
}

// sortLists sorts, counts and truncates the lists.
func (d *differ) sortLists() {
	for _, l := range []struct {
		list  *[]api.DiffedTest
		count *int
	}{
		{&d.NewFailures, &d.Counts.NewFailures}, {&d.FailingNotRun, &d.Counts.FailingNotRun}, {&d.Fixed, &d.Counts.Fixed}, {&d.PassedOtherwise, &d.Counts.PassedOtherwise},
		{&d.StillFailing, &d.Counts.StillFailing},
		{&d.Vanished, &d.Counts.Vanished}, {&d.NewlySkipped, &d.Counts.NewlySkipped}, {&d.New, &d.Counts.New}, {&d.Renamed, &d.Counts.Renamed},
	} {
		slices.SortFunc(*l.list, byName)
		*l.count = len(*l.list)
		*l.list = (*l.list)[:min(len(*l.list), api.MaxNames)]
	}
}
