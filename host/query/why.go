package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// maxWhyPoints bounds how many results back an answer looks.
const maxWhyPoints = 2000

// Why says when a test last passed, on which state of the sources, and what has changed
// since. It examines the working tree, and starts no plugin.
func Why(ctx context.Context, k *ledger.Keeper, req api.WhyRequest) (api.Why, error) {
	answer := api.Why{Schema: api.WhySchema}
	sources := ledger.OpenSources(ctx, k, req.Where)
	defer sources.Close()
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return answer, &api.UsageError{Reason: fmt.Sprintf("no test %q is on record", prose.Line(req.Test)), Fix: nothingOnRecord}
	}
	if err != nil {
		return answer, err
	}
	answer.Warnings = led.Warnings()
	test, err := findTest(ctx, led, req)
	if err != nil {
		return answer, err
	}
	answer.Language, answer.File, answer.Line = test.Language, test.File, test.Line
	answer.Suite, answer.Test = test.Suite, test.TestKey.Test
	w := &inquiry{Why: answer, ledger: led, sources: sources, test: test, id: test.TestKey.TestID}
	err = w.investigate(ctx)
	return w.Why, err
}

// findTest finds the one requested test.
func findTest(ctx context.Context, led *ledger.Ledger, req api.WhyRequest) (history.Test, error) {
	of, err := findTests(ctx, led, req.Language, req.Test)
	switch {
	case err != nil:
		return history.Test{}, err
	case of.test != nil:
		return *of.test, nil
	case len(of.tests) == 1:
		return of.tests[0], nil
	}
	return history.Test{}, ambiguousError("tests", req.Test, of.tests, ledger.SuiteNames(ctx, led))
}

// inquiry examines one test.
type inquiry struct {
	api.Why
	ledger *ledger.Ledger
	// sources are being opened.
	sources *fingerprint.Opening
	test    history.Test
	id      sdk.TestID
	points  []history.Point
	// passed and failed are the indices in points of the last pass and of the first
	// failure after it, or -1.
	passed, failed int
	// ends counts the results of each run.
	ends map[string]ends
}

// ends counts the results of a test in one run, and the passes among them.
type ends struct{ results, passed int }

func (w *inquiry) investigate(ctx context.Context) error {
	if err := w.read(ctx); err != nil {
		return err
	}
	var err error
	if w.Absence, err = explainAbsence(ctx, w.ledger, w.test, w.points); err != nil {
		return err
	}
	latest := w.last(len(w.points), history.Outcome.Conclusive)
	if latest < len(w.points)-1 {
		w.Skipped = w.makeSighting(ctx, len(w.points)-1)
	}
	if latest < 0 {
		return ctx.Err() // it has no conclusive result
	}
	w.Latest = w.makeSighting(ctx, latest)
	if e := w.ends[w.Latest.RunID]; e.passed > 0 && e.passed < e.results {
		w.Results, w.PassedResults = e.results, e.passed
		w.useFailedPlace(ctx)
	}
	if err := w.addStanding(ctx, w.points[latest]); err != nil {
		return err
	}
	if !w.points[latest].Outcome.Bad() {
		err = w.explainPass(ctx, latest)
	} else {
		err = w.explainFailure(ctx, latest)
	}
	w.Unlike = w.compareRuns()
	return err
}

// compareRuns compares the environments of the two runs that contradict each other.
func (w *inquiry) compareRuns() *api.EnvironmentDiff {
	var before, now string
	switch s := w.Standing; {
	case s != nil && s.Flaky != nil:
		before, now = s.Flaky.PassedRun, s.Flaky.FailedRun
	case s != nil && s.Otherwise != nil:
		before, now = s.Otherwise.RunID, w.Latest.RunID
	case w.LastPass != nil && w.FirstFailure != nil:
		before, now = w.LastPass.RunID, w.FirstFailure.RunID
	default:
		return nil
	}
	a, known := artifacts.ReadSurroundings(w.ledger.Artifacts, before)
	b, alsoKnown := artifacts.ReadSurroundings(w.ledger.Artifacts, now)
	u := compareEnvironments(a, b)
	if !known || !alsoKnown || u == nil {
		return nil
	}
	u.BeforeRunID, u.NowRunID = before, now
	return u
}

// read reads the test's results, oldest first whenever they were added.
func (w *inquiry) read(ctx context.Context) error {
	err := standing.Timelines(ctx, w.ledger, history.TimelineFilter{
		Language: w.Language, Tests: []sdk.TestID{w.id}, Points: maxWhyPoints,
	}, func(t history.Timeline) {
		w.points, w.Cut = t.Points, t.Cut
	})
	w.points = slices.DeleteFunc(w.points, func(p history.Point) bool { return p.RunKind == api.KindTriage })
	w.ends = map[string]ends{}
	for _, p := range w.points {
		if p.Outcome.Conclusive() {
			e := w.ends[p.RunID]
			if e.results++; p.Outcome == history.Passed {
				e.passed++
			}
			w.ends[p.RunID] = e
		}
	}
	w.points = worstOfRuns(w.points)
	return errors.Join(err, ctx.Err())
}

// worstOfRuns keeps one point of each run: a pass must not hide a failure.
func worstOfRuns(points []history.Point) []history.Point {
	var kept []history.Point
	at := map[string]int{}
	for _, p := range points {
		n, twice := at[p.RunID]
		switch {
		case !twice:
			at[p.RunID] = len(kept)
			kept = append(kept, p)
		case p.Outcome.Worse(kept[n].Outcome):
			kept[n] = p
		}
	}
	return kept
}

// last returns the last point before the given one whose outcome satisfies is.
func (w *inquiry) last(before int, is func(history.Outcome) bool) int {
	for i := before - 1; i >= 0; i-- {
		if is(w.points[i].Outcome) {
			return i
		}
	}
	return -1
}

func didPass(o history.Outcome) bool { return o == history.Passed }

func (w *inquiry) makeSighting(ctx context.Context, n int) *api.Sighting {
	p := w.points[n]
	s := &api.Sighting{
		RunID: p.RunID, SessionID: p.SessionID, At: p.At, AgeS: standing.AgeSeconds(w.ledger.Keeper.Cfg.Now(), p.At), Ended: ledger.OutcomeWord(p.Outcome),
		Fingerprint: p.Fingerprint, MixedState: p.MixedState, Kind: p.Kind, Message: p.Excerpt,
	}
	// Without the commit the rest is still an answer.
	if run, err := w.ledger.History.Run(ctx, p.RunID); err == nil {
		s.Commit = run.Commit
		if source := describeSource(w.ledger, run); source != nil {
			s.Dirty = max(source.Dirty, 0)
		}
	}
	return s
}

// addStanding adds how the test stands in the session of its latest result.
func (w *inquiry) addStanding(ctx context.Context, latest history.Point) error {
	standings, err := standing.Standings(ctx, w.ledger, w.Language, []sdk.TestID{w.id}, latest.SessionID, 0)
	if s, ok := standings[w.id]; ok {
		w.Standing = &s
	}
	return err
}

// explainPass adds since when a test passes, how it last failed, and what changed since.
func (w *inquiry) explainPass(ctx context.Context, latest int) error {
	w.LastPass = w.Latest
	bad := w.last(latest, history.Outcome.Bad)
	since := latest
	for i := latest; i > bad; i-- {
		if didPass(w.points[i].Outcome) {
			since = i
		}
	}
	w.PassesSince = w.makeSighting(ctx, since)
	if bad >= 0 {
		w.LastFailure = w.makeSighting(ctx, bad)
	}
	good, known, err := w.ledger.State(ctx, w.Latest.Fingerprint)
	if err != nil {
		return err
	}
	if !known {
		w.UntilNow = &api.FileChanges{Why: "the source state that it passed on is unknown"}
		return ctx.Err()
	}
	now, err := w.ledger.WorkingTree(ctx, w.sources)
	w.compareWithNow(good, now, err)
	return ctx.Err()
}

// explainFailure adds since when a test fails, and what changed before that and since.
func (w *inquiry) explainFailure(ctx context.Context, latest int) error {
	w.passed = w.last(len(w.points), didPass)
	w.failed = -1
	for i := w.passed + 1; i < len(w.points); i++ {
		p := w.points[i]
		if !p.Outcome.Bad() {
			continue
		}
		if w.failed < 0 {
			w.failed = i
		}
		if w.FailedRuns == 0 || p.RunKind != api.KindRetry { // a retry is an attempt at the run before it
			w.FailedRuns++
		}
		if f := p.Fingerprint; f != "" && !slices.Contains(w.FailedStates, f) && len(w.FailedStates) < api.MaxStates {
			w.FailedStates = append(w.FailedStates, f)
		}
	}
	w.FirstFailure = w.makeSighting(ctx, w.failed)
	if err := w.addParts(ctx, latest); err != nil {
		return err
	}
	now, unknown := w.ledger.WorkingTree(ctx, w.sources)
	if err := w.compareSinceFailure(ctx, now, unknown); err != nil || w.passed < 0 {
		return cmp.Or(err, ctx.Err())
	}
	w.LastPass = w.makeSighting(ctx, w.passed)
	return w.compareStates(ctx, now, unknown)
}

// compareStates compares the state of the last pass with that of the first failure, and with
// the working tree.
func (w *inquiry) compareStates(ctx context.Context, now fingerprint.State, unknown error) error {
	from, to := w.points[w.passed].Fingerprint, w.points[w.failed].Fingerprint
	good, known, err := w.ledger.State(ctx, from)
	if err != nil {
		return err
	}
	if !known {
		w.UntilFailure = &api.FileChanges{Why: "the source state that it last passed on is unknown"}
		w.UntilNow = w.UntilFailure
		return nil
	}
	var early []fingerprint.Change
	bad, known, err := w.ledger.State(ctx, to)
	switch {
	case err != nil:
		return err
	case !known:
		w.UntilFailure = &api.FileChanges{Why: "the source state that it first failed on is unknown"}
	default:
		early = w.noteChanges(&w.UntilFailure, good, bad)
	}
	late := w.compareWithNow(good, now, unknown)
	if unknown == nil {
		c := comparison{ledger: w.ledger, then: good, now: now, leads: []string{w.test.File}}
		w.ChangedLines = c.compare(ctx)
	}
	places, err := w.findPlaces(ctx)
	w.rankSuspects(places, early, late, cmp.Or(now.Top, bad.Top, good.Top))
	return err
}

// compareWithNow records and returns what differs between a state and the working tree.
func (w *inquiry) compareWithNow(then, now fingerprint.State, err error) []fingerprint.Change {
	if err != nil {
		w.UntilNow = &api.FileChanges{Why: nowUnknown(err)}
		return nil
	}
	w.Now = ledger.SourceOf(now)
	return w.noteChanges(&w.UntilNow, then, now)
}

// noteChanges records and returns what differs between two states.
func (w *inquiry) noteChanges(note **api.FileChanges, a, b fingerprint.State) []fingerprint.Change {
	changed := w.ledger.ChangesOf(a, b)
	*note = &changed
	if changed.Total == 0 {
		return nil
	}
	return fingerprint.Diff(a, b)
}

// explainAbsence says why a later run that should have a result of a test has none: its
// suite, or one that this is built from, did not build, or the test no longer exists.
// points are all of its results. It returns nil if there is no such run.
func explainAbsence(ctx context.Context, led *ledger.Ledger, t history.Test, points []history.Point) (*api.Absence, error) {
	if len(points) == 0 {
		return nil, nil
	}
	later := func(order int64, at time.Time) bool {
		return !slices.ContainsFunc(points, func(p history.Point) bool {
			if p.Foreign() {
				return !p.At.Before(at)
			}
			return p.Order >= order
		})
	}
	broken, err := findLastOfSuite(ctx, led, t)
	if err != nil {
		return nil, err
	}
	blocked, err := findBlocked(ctx, led, t, func(r history.Run) bool { return r.Order > broken.Order && later(r.Order, r.StartedAt) })
	if blocked != nil || err != nil || t.TestKey.Test == "" {
		return blocked, err
	}
	whole, err := led.ComparableRuns(ctx, history.RunFilter{Language: t.Language, Whole: true, Limit: standing.WholeRuns})
	if err != nil {
		return nil, err
	}
	seen := points[len(points)-1]
	for _, p := range slices.Backward(points) {
		if !p.Foreign() {
			seen = p
			break
		}
	}
	run := history.Run{}
	if i := slices.IndexFunc(whole, func(r history.Run) bool { return r.Complete() && r.Setting() == seen.Setting() }); i >= 0 {
		run = whole[i]
	}
	if broken.Outcome.Bad() && api.IsBuildKind(broken.Kind) && broken.Order > run.Order && later(broken.Order, broken.At) {
		return &api.Absence{
			Reason: api.NotBuilt, RunID: broken.RunID, SessionID: broken.SessionID, At: broken.At,
			AgeS: standing.AgeSeconds(led.Keeper.Cfg.Now(), broken.At), Kind: broken.Kind, Message: broken.Excerpt,
		}, nil
	}
	if run.ID == "" || !later(run.Order, run.StartedAt) {
		return nil, nil
	}
	if ran, err := couldHaveRun(ctx, led, t, run.ID); err != nil || !ran {
		return nil, err
	}
	return &api.Absence{
		Reason: api.Vanished, RunID: run.ID, SessionID: run.SessionID, At: run.StartedAt,
		AgeS: standing.AgeSeconds(led.Keeper.Cfg.Now(), run.StartedAt),
	}, nil
}

// findBlocked says in which run after its last result a suite was not built because one that
// it is built from was not; nil in none of the newest ones.
func findBlocked(ctx context.Context, led *ledger.Ledger, t history.Test, later func(history.Run) bool) (a *api.Absence, err error) {
	runs, err := led.History.Runs(ctx, history.RunFilter{Language: t.Language, State: api.StateFinished, Limit: lookedThrough})
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		if run.Foreign() {
			continue
		}
		if !later(run) || run.Complete() {
			break // it ran since, or no longer exists
		}
		// A run whose failures are no longer on record is as one without any.
		_ = led.Artifacts.Failures(run.ID, func(f api.Failure) bool {
			if api.IsBuildKind(f.Kind) && slices.Contains(f.Blocks, t.Suite) {
				a = &api.Absence{
					Reason: api.NotBuilt, RunID: run.ID, SessionID: run.SessionID, At: run.StartedAt,
					AgeS: standing.AgeSeconds(led.Keeper.Cfg.Now(), run.StartedAt), Kind: f.Kind, Message: f.Headline(),
				}
			}
			return a == nil && ctx.Err() == nil
		})
		if a != nil {
			break
		}
	}
	return a, ctx.Err()
}

// findLastOfSuite returns the newest result of a test's suite itself, or of the run as
// a whole.
func findLastOfSuite(ctx context.Context, led *ledger.Ledger, t history.Test) (newest history.Point, err error) {
	filter := history.TimelineFilter{Language: t.Language, Tests: []sdk.TestID{{Suite: t.Suite}}, Points: standing.LeastPoints}
	if t.Suite != "" {
		filter.Tests = append(filter.Tests, sdk.TestID{})
	}
	err = standing.Timelines(ctx, led, filter, func(on history.Timeline) {
		if p, ok := classify.Latest(on.Points); ok && !p.Foreign() && p.Order > newest.Order {
			newest = p
		}
	})
	return newest, err
}

// couldHaveRun reports whether a subtest could have run: if its parent did not pass, it may
// not have been reached.
func couldHaveRun(ctx context.Context, led *ledger.Ledger, t history.Test, runID string) (bool, error) {
	if t.Root == "" || t.Root == t.TestKey.Test {
		return true, nil
	}
	had := true
	filter := history.TimelineFilter{Language: t.Language, Tests: []sdk.TestID{{Suite: t.Suite, Test: t.Root}}, Points: standing.LeastPoints}
	err := standing.Timelines(ctx, led, filter, func(on history.Timeline) {
		for _, p := range on.Points {
			had = had && (p.RunID != runID || p.Outcome.Good())
		}
	})
	return had, err
}

// addParts names the subtests whose failures alone made a test fail.
func (w *inquiry) addParts(ctx context.Context, latest int) error {
	if !w.points[latest].Derived {
		return nil
	}
	root := cmp.Or(w.test.Root, w.id.Test)
	return w.ledger.History.Results(ctx, w.Latest.RunID, func(r history.Result) bool {
		if r.Suite == w.id.Suite && r.Root == root && r.Outcome.Bad() && !r.Derived && api.IsInside(r.Test, w.id.Test, root) {
			if w.PartsTotal++; len(w.Parts) < api.MaxStates {
				w.Parts = append(w.Parts, r.Test)
			}
		}
		return ctx.Err() == nil
	})
}

// compareSinceFailure adds what differs between the state of the latest failure and the working
// tree.
func (w *inquiry) compareSinceFailure(ctx context.Context, now fingerprint.State, unknown error) error {
	bad, known, err := w.ledger.State(ctx, w.Latest.Fingerprint)
	switch {
	case err != nil:
		return err
	case unknown != nil:
		w.SinceFailure = &api.FileChanges{Why: nowUnknown(unknown)}
	case !known:
		w.SinceFailure = &api.FileChanges{Why: "the source state that it last failed on is unknown"}
	default:
		w.Now = ledger.SourceOf(now)
		w.noteChanges(&w.SinceFailure, bad, now)
	}
	return nil
}

func nowUnknown(err error) string {
	return "the state of the sources in the working tree is unknown: " + err.Error()
}
