package shard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Report is the run of a shard as read: the whole object, with all results and failures.
type Report struct {
	// File names where it came from, for the reader.
	File string
	api.Run
}

// Merge is what the reports of shards show together.
type Merge struct {
	Of   int
	Plan string
	// Problems say why the reports are not the whole, in the order in which a reader
	// should see to them; empty if they are. Absent are the shards that did not come.
	Problems []string
	Absent   []int
	// Missing are planned suites and tests whose outcome nothing shows.
	Missing []sdk.TestID
	// Last are the reports that count, by index; Earlier those that a later attempt
	// replaces. Void are attempts that ran nothing, beside others with a plan. Others do not
	// belong to the plan, and count only for being red.
	Last, Earlier, Void, Others []Report
	// OneState reports whether all that is in Last saw one state of the sources, in one
	// setting.
	OneState bool

	// Results and Failures are what counts: those of Last, but of a test that failed in
	// an earlier attempt and then passed the failure, one in quarantine too.
	Results  []api.Result
	Failures []api.Failure
	// Ends are the ends of suites, one for each piece.
	Ends []End
	// Flaky are the tests, and suites as a whole, that failed in an earlier attempt and
	// not in the last. SuiteFailures are the failures of such suites.
	Flaky         []api.Retried
	SuiteFailures []api.Failure
	// Known is how many tests count with a failure in quarantine of an earlier attempt.
	Known int
	// stillRed reports whether something failed in an earlier attempt and has not passed
	// since.
	stillRed bool
	// Attempts are what attempts showed of the flaky tests beside what is in Results.
	Attempts []Attempt
}

// End is the end of a suite, or of a piece of one.
type End struct {
	Suite   string
	Outcome sdk.SuiteOutcome
	// Cached reports whether the runner took some of it from its cache.
	Cached bool
}

// Attempt is what an attempt of a shard showed of some tests.
type Attempt struct {
	Run     api.Run
	Tests   []sdk.TestID
	Results []api.Result
}

// Rules is the version of the rules of merges. It is raised when the same reports prove
// something else than before, so that a merge on record by older rules is not shown again.
const Rules = 9

// Of merges the reports of the shards of one language. expect is how many shards there
// must be; 0 is as many as the reports say. There is at least one report.
func Of(reports []Report, expect int) Merge {
	m := &Merge{}
	m.choosePlan(reports, expect)
	m.chooseAttempts()
	m.compareStates()
	m.findMissing()
	m.collect()
	return *m
}

func (m *Merge) problem(format string, args ...any) {
	m.Problems = append(m.Problems, fmt.Sprintf(format, args...))
}

// choosePlan keeps the reports of the plan that most shards have. The others are
// problems.
func (m *Merge) choosePlan(reports []Report, expect int) {
	by := map[string][]Report{}
	for _, r := range reports {
		if checkPlan(r.Run) == "" {
			by[r.Shard.Plan] = append(by[r.Shard.Plan], r)
		}
	}
	for _, plan := range slices.Sorted(maps.Keys(by)) {
		if m.Plan == "" || countIndexes(by[plan]) > countIndexes(by[m.Plan]) {
			m.Plan = plan
		}
	}
	for _, r := range reports {
		why := checkPlan(r.Run)
		if why == "" {
			continue
		}
		isVoid := r.Shard != nil && r.Shard.Plan == "" && !isRed(r) && m.Plan != ""
		if !isVoid || !isReplaced(r, by[m.Plan]) {
			m.problem("%s %s", r.File, why)
		}
		if isVoid {
			m.Void = append(m.Void, r)
		} else {
			m.Others = append(m.Others, r)
		}
	}
	m.Of = expect
	if m.Plan == "" {
		for _, r := range m.Others {
			if m.Of == 0 && r.Shard != nil {
				m.Of = min(max(r.Shard.Of, 0), api.MaxShards)
			}
		}
		return
	}
	m.Last = by[m.Plan]
	first := m.Last[0]
	for _, plan := range slices.Sorted(maps.Keys(by)) {
		if plan == m.Plan {
			continue
		}
		for _, r := range by[plan] {
			m.problem("%s, shard %s, is of a different plan than %s: %s", r.File, r.Shard, first.File, explainPlans(first.Run, r.Run))
		}
		m.Others = append(m.Others, by[plan]...)
	}
	if m.Of == 0 {
		m.Of = first.Shard.Of
	}
	if first.Shard.Of != m.Of {
		m.problem("the plan has %d shards, and %d are expected", first.Shard.Of, m.Of)
	}
}

// isReplaced reports whether a later attempt of a shard is among some reports.
func isReplaced(r Report, by []Report) bool {
	return slices.ContainsFunc(by, func(other Report) bool {
		return other.Shard.Index == r.Shard.Index && other.Shard.Of == r.Shard.Of && other.Shard.Attempt > r.Shard.Attempt
	})
}

func countIndexes(reports []Report) int {
	seen := map[int]bool{}
	for _, r := range reports {
		seen[r.Shard.Index] = true
	}
	return len(seen)
}

// checkPlan says why a run cannot be a part of a merge; empty if it can.
func checkPlan(run api.Run) string {
	s := run.Shard
	switch {
	case s == nil:
		return "is not the run of a shard"
	case s.Of < 1 || s.Of > api.MaxShards || s.Index < 1 || s.Index > s.Of || s.Attempt < 1:
		return fmt.Sprintf("says that it is attempt %d of shard %s, which is impossible", s.Attempt, s)
	case s.Plan == "" && run.RunID == "":
		return fmt.Sprintf("says of shard %s: %s", s, prose.Cut(run.Reason, maxReason, "…"))
	case s.Plan == "":
		return fmt.Sprintf("has no plan: shard %s is %s", s, describeVerdict(run))
	case run.MixedState:
		return fmt.Sprintf("shows no single state of the sources: files changed while shard %s ran (let git ignore what the tests write)", s)
	case run.Fingerprint() == "":
		return fmt.Sprintf("does not say which state of the sources shard %s saw", s)
	}
	if plan, ok := planOf(run); !ok || plan.Digest() != s.Plan {
		return fmt.Sprintf("is incomplete: what shard %s says of its plan does not match the digest %s", s, short(s.Plan))
	}
	return ""
}

// short is the beginning of a digest, for the reader.
func short(digest string) string {
	return prose.Cut(digest[:min(len(digest), shortDigits)], maxShownText, "…")
}

// shortDigits of a digest tell plans apart.
const shortDigits = 12

// explainPlans says in what two plans differ.
func explainPlans(a, b api.Run) string {
	x, _ := planOf(a)
	y, _ := planOf(b)
	var why []string
	add := func(differs bool, text string) {
		if differs {
			why = append(why, text)
		}
	}
	add(x.Fingerprint != y.Fingerprint, fmt.Sprintf("the sources differ (%s and %s)", nameSource(*a.Source), nameSource(*b.Source)))
	add(x.Fingerprint != y.Fingerprint && a.Source.Commit != "" && a.Source.Commit == b.Source.Commit,
		"although they have the same commit: let git ignore reports, and whatever else only some machines have")
	add(len(x.Parts) != len(y.Parts), fmt.Sprintf("it has %d shards and not %d", len(y.Parts), len(x.Parts)))
	add(x.Timings != y.Timings, "the files of timings differ")
	add(Plan{Selection: x.Selection}.Digest() != Plan{Selection: y.Selection}.Digest(), "the selections differ")
	add(len(why) == 0, "the suites or their tests differ")
	return strings.Join(why, ", ")
}

// nameSource names a state of the sources.
func nameSource(s api.Source) string {
	if s.Commit != "" && s.Dirty == 0 {
		return "commit " + short(s.Commit)
	}
	return "state " + short(s.Fingerprint)
}

// chooseAttempts keeps the last attempt of each shard.
func (m *Merge) chooseAttempts() {
	by := map[int][]Report{}
	for _, r := range m.Last {
		by[r.Shard.Index] = append(by[r.Shard.Index], r)
	}
	m.Last = nil
	came := map[int]bool{} // without a plan that the others have
	for _, r := range m.Others {
		if r.Shard != nil && m.Plan == "" {
			came[r.Shard.Index] = true
		}
	}
	for i := 1; i <= m.Of; i++ {
		attempts := by[i]
		delete(by, i)
		if len(attempts) == 0 && came[i] {
			continue
		}
		if len(attempts) == 0 {
			m.Absent = append(m.Absent, i)
			continue
		}
		slices.SortStableFunc(attempts, func(a, b Report) int { return cmp.Compare(a.Shard.Attempt, b.Shard.Attempt) })
		last := attempts[len(attempts)-1]
		m.Last = append(m.Last, last)
		for n, r := range attempts[:len(attempts)-1] {
			if next := attempts[n+1]; r.Shard.Attempt == next.Shard.Attempt {
				m.problem("there are two reports of shard %s, %s and %s: a repeated job replaces an earlier one only with a larger attempt", r.Shard, r.File, next.File)
			}
			m.Earlier = append(m.Earlier, r)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(by)) {
		m.Others = append(m.Others, by[i]...) // of a plan of more shards, which is said already
	}
}

// compareStates compares what the plan does not say: the setting.
func (m *Merge) compareStates() {
	m.OneState = len(m.Last) > 0
	var first *Report
	for _, r := range slices.Concat(m.Last, m.Earlier) {
		if first == nil {
			first = &r
			continue
		}
		if r.Plugin.Name != first.Plugin.Name || settingOf(r.Environment) != settingOf(first.Environment) {
			m.OneState = false
			m.problem("%s and %s ran in different settings: other arguments, settings, tools or variables that decide how tests end", first.File, r.File)
		}
	}
}

// settingOf is the part of an environment that decides: what follows the mark says that
// a run had less time than usual.
func settingOf(environment string) string {
	setting, _, _ := strings.Cut(environment, ".")
	return setting
}

// findMissing looks for evidence of each planned suite and test, and for what was not
// planned.
func (m *Merge) findMissing() {
	if len(m.Last) == 0 {
		for _, i := range m.Absent {
			m.problem("shard %d/%d is missing", i, m.Of)
		}
		return
	}
	plan, _ := planOf(m.Last[0].Run)
	for _, i := range m.Absent {
		if i > len(plan.Parts) {
			m.problem("shard %d/%d is missing", i, m.Of)
			continue
		}
		part := plan.Parts[i-1]
		m.problem("shard %d/%d is missing%s", i, m.Of, describePart(part))
		for _, p := range part {
			m.miss(p)
		}
	}
	for _, r := range m.Last {
		m.checkEvidence(r)
	}
}

// miss notes a piece that nothing is known about.
func (m *Merge) miss(p Piece) {
	if p.Tests == nil {
		m.Missing = append(m.Missing, sdk.TestID{Suite: p.Suite})
		return
	}
	for _, t := range p.Tests {
		m.Missing = append(m.Missing, p.asTest(t))
	}
}

// maxNamed is how many suites a sentence names.
const maxNamed = 5

// describePart names the suites of a part.
func describePart(part []Piece) string {
	if len(part) == 0 {
		return ", to which the plan gives nothing"
	}
	var names []string
	for _, p := range part[:min(len(part), maxNamed)] {
		name := p.Suite
		if p.Tests != nil {
			name = fmt.Sprintf("%s of %s", api.Plural(len(p.Tests), "test"), p.Suite)
		}
		names = append(names, name)
	}
	text := ", with " + strings.Join(names, ", ")
	if more := len(part) - len(names); more > 0 {
		text += " and " + api.Plural(more, "more suite")
	}
	return text
}

// checkEvidence checks that a shard shows what became of all that was planned for it, and
// of nothing else.
func (m *Merge) checkEvidence(r Report) {
	ran := m.checkResults(r)
	for _, p := range r.Shard.Planned {
		switch {
		case p.Ended == "":
			m.problem("%s does not show how %s ended", r.File, p.Suite)
			m.miss(Piece{Suite: p.Suite, Tests: p.Tests})
		case OutcomeOf(p.Ended) == 0:
			m.problem("%s says that %s ended as %q, which is unknown", r.File, p.Suite, prose.Cut(string(p.Ended), maxShownText, "…"))
			m.miss(Piece{Suite: p.Suite, Tests: p.Tests})
		case hasEndedWhole(p.Ended):
			left := Piece{Suite: p.Suite}
			for _, t := range p.Tests {
				if !ran[sdk.TestID{Suite: p.Suite, Test: t}] {
					left.Tests = append(left.Tests, t)
				}
			}
			if left.Tests != nil {
				m.problem("%s has no result of %s", r.File, strings.TrimPrefix(describePart([]Piece{left}), ", with "))
				m.miss(left)
			}
		}
	}
	if why := notPassed(r.Run); why != "" {
		m.problem("shard %s %s", r.Shard, why)
	}
	if isRed(r) && !showsRed(r) {
		m.problem("shard %s is %s, and %s shows nothing that failed", r.Shard, describeVerdict(r.Run), r.File)
	}
}

// checkResults checks that a shard has results of what was planned for it only, and returns
// the listed tests with results.
func (m *Merge) checkResults(r Report) (ran map[sdk.TestID]bool) {
	// A suite of which the plan gives the shard no certain tests is planned as a whole.
	planned := map[string]map[string]bool{}
	for _, p := range r.Shard.Planned {
		tests := planned[p.Suite]
		if p.Tests != nil {
			tests = map[string]bool{}
		}
		planned[p.Suite] = tests
		for _, t := range p.Tests {
			tests[t] = true
		}
	}
	ran = map[sdk.TestID]bool{}
	strange := map[string]bool{}
	for _, res := range r.Results {
		root := rootOf(res)
		ran[root] = true
		only, isPlanned := planned[res.Suite]
		if !isPlanned || only != nil && !res.Fixture && !only[root.Test] {
			strange[strings.TrimSpace(root.Suite+" "+root.Test)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(strange))[:min(len(strange), maxNamed)] {
		m.problem("%s has a result of %s, which the plan does not give to shard %s", r.File, name, r.Shard)
	}
	return ran
}

// notPassed says why a shard that is not red has not passed; empty if it has, or has
// nothing that could: tests that skip themselves, or whose known failure does not decide,
// as others of the whole pass.
func notPassed(run api.Run) string {
	switch run.Verdict {
	case api.Passed, api.Failed, api.BuildFailed:
		return ""
	case api.NothingRan:
		for _, p := range run.Shard.Planned {
			known := p.Ended == api.SuiteEndFailed && run.Quarantined > 0
			if p.Ended != api.SuiteEndPassed && p.Ended != api.SuiteEndNoTests && !known {
				return "is " + describeVerdict(run)
			}
		}
		return ""
	}
	return "is " + describeVerdict(run)
}

// describeVerdict is a verdict with its reason, for a sentence.
func describeVerdict(run api.Run) string {
	line, _, _ := strings.Cut(run.Reason, "\n")
	return fmt.Sprintf("%s (%s)", run.Verdict.Words(), prose.Cut(line, maxReason, "…"))
}

// maxReason is how much of a shard's reason the reason of a merge repeats.
const maxReason = 150

// IsRed reports whether something failed: in a last attempt, or in one of a report that
// belongs to no plan. What failed in an earlier attempt is in Flaky.
func (m Merge) IsRed() bool {
	return m.stillRed || slices.ContainsFunc(slices.Concat(m.Last, m.Others), func(r Report) bool {
		return r.Verdict == api.Failed || r.Verdict == api.BuildFailed
	})
}

// FlakyPasses reports whether the project lets flaky tests pass, as all shards say.
func (m Merge) FlakyPasses() bool {
	return len(m.Last) > 0 && !slices.ContainsFunc(m.Last, func(r Report) bool { return !r.Shard.FlakyPasses })
}

// ends are the words for the ends of suites.
func ends() map[sdk.SuiteOutcome]api.SuiteEnd {
	return map[sdk.SuiteOutcome]api.SuiteEnd{
		sdk.SuitePassed: api.SuiteEndPassed, sdk.SuiteFailed: api.SuiteEndFailed, sdk.SuiteBuildFailed: api.SuiteEndBuildFailed,
		sdk.SuiteAborted: api.SuiteEndAborted, sdk.SuiteFailedOutsideTests: api.SuiteEndOutside,
		sdk.SuiteNoTests: api.SuiteEndNoTests, sdk.SuiteUnfinished: api.SuiteEndUnfinished,
	}
}

// EndOf returns the word for the end of a suite; empty if unknown.
func EndOf(o sdk.SuiteOutcome) api.SuiteEnd { return ends()[o] }

// OutcomeOf returns the end that a word stands for; 0 if it is none.
func OutcomeOf(end api.SuiteEnd) sdk.SuiteOutcome {
	for o, word := range ends() {
		if word == end {
			return o
		}
	}
	return 0
}
