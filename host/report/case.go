package report

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// maxCases bounds the cases of a run. One takes about 200 bytes of memory, and no reader
// accepts a million (GitLab: 500,000). Beyond it, tests that passed or were skipped are
// counted and not listed; all others are listed.
const maxCases = 1_000_000

// reading is a run being read from its record.
type reading struct {
	*Run
	suites map[string]*Suite
	cases  map[string]map[string]*Case // by suite and test
	taken  map[string]*names           // by suite as shown
	files  map[string]string           // one copy of each
	// passes counts the passes on record, as [api.Counts] does; unlisted the results
	// beyond the bound.
	passes, unlisted int
}

// readRun makes the cases of a run. taken holds the names of the cases of earlier runs.
func readRun(ended api.RunFinished, taken map[string]*names) *Run {
	r := &reading{
		Run: &Run{Object: ended.Run, Record: ended.Record}, taken: taken,
		suites: map[string]*Suite{}, cases: map[string]map[string]*Case{}, files: map[string]string{},
	}
	if r.Record == nil {
		r.Record = noRecord{}
	}
	if err := errors.Join(r.addResults(), r.addFailures()); err != nil {
		r.addError("(record)", "the record of the run is incomplete: "+err.Error())
	}
	r.IsLost = r.passes < r.Object.Counts.Passed
	r.excuseQuarantined()
	r.addRetried()
	r.addMissing()
	r.addVerdict()
	r.count()
	return r.Run
}

// noRecord is the record of a run that could be shown but not recorded.
type noRecord struct{}

func (noRecord) Results(func(api.Result) bool) error   { return nil }
func (noRecord) Failures(func(api.Failure) bool) error { return nil }

// addResults adds a case for each test. It leaves out a test that failed only because of
// others inside it, which would count twice, and fixtures that passed.
func (r *reading) addResults() error {
	return r.Record.Results(func(result api.Result) bool {
		if result.Status == sdk.Passed && !result.Fixture {
			r.passes++
		}
		red := result.Status == sdk.Failed || result.Status == sdk.Unfinished
		if result.Derived && red || result.Fixture && result.Status == sdk.Passed {
			return true
		}
		c, listed := r.cases[result.Suite][result.Test]
		if !listed {
			if !red && r.Counts.Total() >= maxCases {
				r.unlisted++
				return true
			}
			c = r.findCase(result.TestID, statusOf(result.Status))
			r.Counts[c.Status]++
		} else if red || c.Status == Skipped {
			c.Status = statusOf(result.Status)
		}
		if reason := result.Attributes["reason"]; result.Status == sdk.Skipped && reason != "" && c.Trouble == nil {
			c.Trouble = &Trouble{Message: narrow(strings.TrimSpace(strings.TrimPrefix(reason, "skipped:")))}
		}
		c.DurationS += result.DurationS
		if c.File == "" {
			c.File, c.Line = r.fileOf(result.File), int32(min(max(result.Line, 0), 1<<31-1))
		}
		c.Cached = result.Cached
		r.suites[result.Suite].Cached = result.Cached // all of a suite, or nothing
		return true
	})
}

// fileOf returns the only copy of a file's name, which saves memory.
func (r *reading) fileOf(name string) string {
	if one, ok := r.files[name]; ok {
		return one
	}
	r.files[name] = name
	return name
}

func statusOf(s sdk.Status) Status {
	switch s {
	case sdk.Passed:
		return Passed
	case sdk.Skipped:
		return Skipped
	case sdk.Unfinished:
		return Unfinished
	}
	return Failed
}

// addFailures adds the failures to the cases, and a case for each failure of no test.
func (r *reading) addFailures() error {
	room := roomFor(max(r.Object.FailuresTotal, len(r.Object.Failures)))
	own, told, recorded := knownFailures(r.Object), map[string]bool{}, 0
	err := r.Record.Failures(func(f api.Failure) bool {
		if known, ok := own[f.ID]; ok {
			f, told[f.ID] = *known, true // the object's has its standing and its place
		}
		recorded++
		r.addFailure(f, room)
		return true
	})
	// A truncated record hides none of the run's own failures.
	for _, f := range r.Object.Failures {
		if !told[f.ID] {
			recorded++
			r.addFailure(f, room)
		}
	}
	if n := r.Object.FailuresTotal - recorded; n > 0 {
		r.addError("(failures)", api.Plural(n, "more failure")+" not on record")
	}
	return err
}

func (r *reading) addFailure(f api.Failure, room int) {
	c := r.findCase(f.TestID, Failed)
	if c.Trouble == nil {
		c.Trouble = &Trouble{}
	}
	if len(c.Trouble.Failures) == 0 { // the first one decides
		c.Trouble.Kind, c.Trouble.Message = prose.Line(f.Kind), narrow(f.Headline())
		switch {
		case c.Status == Unfinished:
		case isError(f.Kind):
			c.Status = Errored
		default:
			c.Status = Failed
		}
	}
	for _, earlier := range c.Trouble.Failures {
		room -= sizeOf(earlier)
	}
	c.Trouble.Failures = append(c.Trouble.Failures, cut(f, max(room, minText)))
}

// excuseQuarantined marks the tests whose known failures did not decide.
func (r *reading) excuseQuarantined() {
	for _, f := range r.Object.Failures {
		c := r.cases[f.Suite][f.Test]
		if f.Quarantine == "" || c == nil || c.Trouble == nil || c.Status == Quarantined {
			continue
		}
		c.Status = Quarantined
		c.Trouble.Message = narrow("in quarantine: " + f.Quarantine + ": " + c.Trouble.Message)
		for i := range c.Trouble.Failures {
			c.Trouble.Failures[i].Quarantine = f.Quarantine
		}
	}
}

// addRetried adds the further tries of tests that failed. A flaky test still counts as
// failed, unless the run passed.
func (r *reading) addRetried() {
	for _, t := range r.Object.Retried {
		c := r.findCase(t.TestID, Errored)
		if c.Trouble == nil {
			c.Trouble = &Trouble{}
		}
		c.Trouble.Tries, c.Flaky = t.Attempts, t.Flaky
		if t.Flaky && r.Object.Verdict == api.Passed && c.Status.IsRed() {
			c.Status = Passed
		}
	}
}

// addMissing adds the tests that should have run and have no result.
func (r *reading) addMissing() {
	r.addUnstarted(Unfinished, r.Object.Unfinished, r.Object.Counts.Unfinished, "started and did not end")
	r.addUnstarted(NeverStarted, r.Object.NeverStarted, r.Object.Counts.NeverStarted, "never started")
	for _, asked := range r.Object.Requested {
		t := asked.TestID
		if _, known := r.cases[t.Suite][t.Test]; known || asked.Outcome != api.OutcomeDidNotRun || t.Test == "" {
			continue
		}
		status := DidNotRun
		if r.Object.Verdict == api.Passed {
			status = Skipped // a test that no longer exists does not keep a rerun from passing
		}
		c := r.findCase(t, status)
		c.Trouble = &Trouble{Message: narrow("did not run: " + asked.Why)}
	}
}

func (r *reading) addUnstarted(s Status, tests []sdk.TestID, total int, why string) {
	for _, t := range tests {
		if c := r.findCase(t, s); c.Status == s && c.Trouble == nil {
			c.Trouble = &Trouble{Message: why}
		}
	}
	// Results name each test that did not end, as far as they are on record.
	if n := total - len(tests); n > 0 && (s != Unfinished || r.IsLost) {
		r.addError("("+s.String()+")", api.Plural(n, "more test")+": "+why).Status = s
	}
}

// addVerdict adds a case if no other one says that the run did not pass.
func (r *reading) addVerdict() {
	if r.unlisted > 0 {
		c := r.addError("(more)", api.Plural(r.unlisted, "more result")+", passed or skipped, not listed")
		c.Status = Skipped
	}
	if !r.IsLost && (r.Object.Verdict == api.Passed || r.hasRed()) { // a report would silently lack tests
		return
	}
	reason := string(r.Object.Verdict) + ": " + r.Object.Reason
	switch {
	case r.Object.State == api.StateRunning:
		reason = "the run has no end on record"
	case r.IsLost:
		reason += fmt.Sprintf("; of %d passes only %d are on record", r.Object.Counts.Passed, r.passes)
	}
	r.addError("(verdict)", reason).Trouble.Kind = "verdict"
}

func (r *reading) hasRed() bool {
	for _, tests := range r.cases {
		for _, c := range tests {
			if c.Status.IsRed() {
				return true
			}
		}
	}
	return false
}

// addError adds a case that is not a test.
func (r *reading) addError(name, why string) *Case {
	c := r.findCase(sdk.TestID{Test: name}, Errored)
	c.Synthetic, c.Trouble = true, &Trouble{Message: narrow(why)}
	return c
}

// findCase returns the case of a test, adding it with a status if missing.
func (r *reading) findCase(t sdk.TestID, status Status) *Case {
	if c, ok := r.cases[t.Suite][t.Test]; ok {
		return c
	}
	suite, ok := r.suites[t.Suite]
	if !ok {
		id := strings.Clone(t.Suite)
		suite = &Suite{Name: shownSuite(r.Object, id), ID: id}
		r.suites[id], r.cases[id] = suite, map[string]*Case{}
		if r.taken[suite.Name] == nil {
			r.taken[suite.Name] = &names{}
		}
		r.taken[suite.Name].plain = append(r.taken[suite.Name].plain, r.cases[id])
		r.Suites = append(r.Suites, suite)
	}
	c := &Case{Name: r.taken[suite.Name].distinct(shownTest(t.Suite, t.Test), t.Test), Test: t.Test, Status: status}
	r.cases[suite.ID][t.Test] = c
	suite.Cases = append(suite.Cases, c)
	return c
}

// count adds up the cases, and gives each red one a message.
func (r *reading) count() {
	r.Counts = Counts{}
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			if !c.Status.IsRed() {
				continue
			}
			if c.Trouble == nil {
				c.Trouble = &Trouble{}
			}
			c.Trouble.Message = cmp.Or(c.Trouble.Message, "failed without a message")
		}
		s.count()
		for status, n := range s.Counts {
			r.Counts[status] += n
		}
	}
}

// count adds up the cases of a suite.
func (s *Suite) count() {
	s.Counts, s.DurationS = Counts{}, 0
	for _, c := range s.Cases {
		s.Counts[c.Status]++
		s.DurationS += c.DurationS
	}
}
