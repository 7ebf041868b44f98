package classify_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
)

// The table of docs/history.md. A word is a run: its session, and what the test did in
// it.
func TestClassificationAndResolution(t *testing.T) {
	for _, c := range []struct {
		runs, session string
		deferred      bool
		class         api.Classification
		status        api.EntryStatus
	}{
		// Nobody else ran it.
		{runs: "a:P", session: "a", class: api.Gap, status: api.StatusPassed},
		{runs: "a:P a:P", session: "a", class: api.Gap, status: api.StatusPassed},
		{runs: "a:F", session: "a", class: api.Gap, status: api.StatusUnresolved},
		{runs: "a:U", session: "a", class: api.Gap, status: api.StatusUnresolved},
		{runs: "a:F a:F", session: "a", class: api.Gap, status: api.StatusUnresolved},
		{runs: "a:F a:P", session: "a", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:F a:P a:P", session: "a", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:P a:F", session: "a", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:F a:P a:F", session: "a", class: api.Regression, status: api.StatusUnresolved},
		// Passing in another session.
		{runs: "a:P b:P", session: "b", class: api.Steady, status: api.StatusPassed},
		{runs: "a:P b:F", session: "b", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:P b:U", session: "b", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:P b:F b:P", session: "b", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:P b:F b:P b:F", session: "b", class: api.Regression, status: api.StatusUnresolved},
		// Failing in another session.
		{runs: "a:F b:P", session: "b", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:F b:F", session: "b", class: api.Failing, status: api.StatusUnresolved},
		{runs: "a:F b:P b:F", session: "b", class: api.Failing, status: api.StatusUnresolved},
		{runs: "a:P a:F b:F", session: "b", class: api.Failing, status: api.StatusUnresolved},
		{runs: "a:F a:P b:F", session: "b", class: api.Regression, status: api.StatusUnresolved},
		// Only the most recent session with a conclusive result counts.
		{runs: "a:F b:P c:P", session: "c", class: api.Steady, status: api.StatusPassed},
		{runs: "a:P b:F c:F", session: "c", class: api.Failing, status: api.StatusUnresolved},
		{runs: "a:F b:S c:P", session: "c", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:P b:N c:F", session: "c", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:P b:F b:S", session: "b", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:S b:P", session: "b", class: api.Steady, status: api.StatusPassed},
		{runs: "a:S b:F", session: "b", class: api.Gap, status: api.StatusUnresolved},
		{runs: "a:S b:P b:F", session: "b", class: api.Regression, status: api.StatusUnresolved},
		// Nothing proved in the session.
		{runs: "a:P b:S", session: "b"},
		{runs: "a:P b:N", session: "b"},
		{runs: "a:P", session: "b"},
		{session: "a"},
		// The worst of several results in one run counts.
		{runs: "a:P b:FP", session: "b", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:P b:PF", session: "b", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:FPP b:P", session: "b", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:SP b:SF", session: "b", class: api.Regression, status: api.StatusUnresolved},
		// Results of another session in between count as before; later ones do not count.
		{runs: "a:P b:F a:P", session: "a", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:P b:P a:F", session: "a", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:F b:F a:F", session: "a", class: api.Failing, status: api.StatusUnresolved},
		{runs: "a:F b:P a:F", session: "a", class: api.Regression, status: api.StatusUnresolved},
		{runs: "a:P b:F a:F", session: "a", class: api.Failing, status: api.StatusUnresolved},
		{runs: "a:P b:P a:P", session: "a", class: api.Steady, status: api.StatusPassed},
		{runs: "a:P b:S a:F", session: "a", class: api.Regression, status: api.StatusUnresolved},
		{runs: "c:F a:F b:P a:F", session: "a", class: api.Regression, status: api.StatusUnresolved},
		{runs: "c:P a:P b:F a:P", session: "a", class: api.Fixed, status: api.StatusFixed},
		{runs: "a:P b:F", session: "a", class: api.Gap, status: api.StatusPassed},
		{runs: "a:P b:F a:S", session: "a", class: api.Gap, status: api.StatusPassed},
		{runs: "a:F b:F", session: "a", class: api.Gap, status: api.StatusUnresolved},
		// Deferred.
		{runs: "a:F b:F", session: "b", deferred: true, class: api.Failing, status: api.StatusDeferred},
		{runs: "a:P b:F", session: "b", deferred: true, class: api.Regression, status: api.StatusDeferred},
		{runs: "a:F b:P", session: "b", deferred: true, class: api.Fixed, status: api.StatusFixed},
	} {
		s := classify.Subject{Timeline: timeline("T", runs(strings.Fields(c.runs)...)...), SessionID: c.session, Deferred: c.deferred}
		got := classify.Test(s)
		if got.Classification != c.class || got.Resolution != c.status {
			t.Errorf("%q in session %s is %q, %q; want %q, %q", c.runs, c.session, got.Classification, got.Resolution, c.class, c.status)
		}
	}
}

func TestATestWhosePointsAreNoLongerOnRecordIsKnown(t *testing.T) {
	s := classify.Subject{Timeline: timeline("T", runs("b:P")...), SessionID: "b"}
	s.Timeline.FirstSession = "a"
	if got := classify.Test(s).Classification; got != api.Steady {
		t.Errorf("it is %q", got)
	}
}

func TestATriageProvesNothing(t *testing.T) {
	line := timeline("T", did{session: "a", results: "P"}, did{session: "b", results: "F", kind: api.KindTriage}, did{session: "b", results: "P"})
	got := classify.Test(classify.Subject{Timeline: line, SessionID: "b"})
	if diff := cmp.Diff(api.Standing{Classification: api.Steady, Resolution: api.StatusPassed, LastPassed: &api.LastPassed{RunID: "run01", At: at(1)}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnIngestedRunCountsInItsOwnSession(t *testing.T) {
	line := timeline("T", did{session: "i", results: "P", kind: api.KindIngest}, did{session: "b", results: "F"})
	if got := classify.Test(classify.Subject{Timeline: line, SessionID: "b"}).Classification; got != api.Regression {
		t.Errorf("it is %q", got)
	}
}

func TestADerivedFailureCountsForTheTestItself(t *testing.T) {
	line := timeline("T", did{session: "a", results: "P"}, did{session: "b", results: "F", derived: true})
	if got := classify.Test(classify.Subject{Timeline: line, SessionID: "b"}).Classification; got != api.Regression {
		t.Errorf("it is %q", got)
	}
}

func TestLastPassedIsThePassBeforeTheNewestRun(t *testing.T) {
	for _, c := range []struct{ runs, session, want string }{
		{"a:F", "a", ""},
		{"a:P", "a", ""},
		{"a:P a:F", "a", "run01"},
		{"a:P a:P", "a", "run01"},
		{"a:P a:S", "a", "run01"},
		{"a:P b:F b:F c:F", "c", "run01"},
		{"a:P b:P b:F c:F", "c", "run02"},
		{"a:P b:PF c:F", "c", "run01"}, // a run with a failure did not pass
		{"a:PF", "a", ""},
		{"a:P b:F c:P", "b", "run01"}, // what came after is ignored
	} {
		got := classify.Test(classify.Subject{Timeline: timeline("T", runs(strings.Fields(c.runs)...)...), SessionID: c.session}).LastPassed
		if c.want == "" && got != nil || c.want != "" && (got == nil || got.RunID != c.want) {
			t.Errorf("%q: %+v, want %q", c.runs, got, c.want)
		}
	}
}

func TestSameFailureCountsRunsAndEdits(t *testing.T) {
	edits := func(from, to string) int {
		if from == "x" || to == "x" {
			return -1
		}
		return len(to) - len(from)
	}
	bad := func(cause, state string) did { return did{session: "a", results: "F", cause: cause, state: state} }
	type answer struct {
		run, edits int
		since      string
	}
	for name, c := range map[string]struct {
		runs []did
		want answer
	}{
		"the first":             {[]did{bad("1", "s")}, answer{}},
		"the second":            {[]did{bad("1", "s"), bad("1", "sss")}, answer{2, 2, "run01"}},
		"on the same state":     {[]did{bad("1", "s"), bad("1", "s")}, answer{2, 0, "run01"}},
		"edits add up":          {[]did{bad("1", "s"), bad("1", "ss"), bad("1", "ss"), bad("1", "ssss")}, answer{4, 3, "run01"}},
		"another before":        {[]did{bad("2", "s"), bad("1", "s"), bad("1", "ss")}, answer{2, 1, "run02"}},
		"another in between":    {[]did{bad("1", "s"), bad("2", "s"), bad("1", "ss")}, answer{}},
		"without a cause":       {[]did{bad("", "s"), bad("", "ss")}, answer{}},
		"unknown in between":    {[]did{bad("1", "s"), bad("", "s"), bad("1", "ss")}, answer{}},
		"a pass in between":     {[]did{bad("1", "s"), {session: "a", results: "P"}, bad("1", "ss")}, answer{}},
		"a pass after":          {[]did{bad("1", "s"), bad("1", "s"), {session: "a", results: "P"}}, answer{}},
		"a skip in between":     {[]did{bad("1", "s"), {session: "a", results: "S"}, bad("1", "ss")}, answer{2, 1, "run01"}},
		"a skip after":          {[]did{bad("1", "s"), bad("1", "ss"), {session: "a", results: "S"}}, answer{2, 1, "run01"}},
		"several in one run":    {[]did{{session: "a", results: "FF", cause: "1", state: "s"}}, answer{}},
		"several in two runs":   {[]did{{session: "a", results: "FF", cause: "1", state: "s"}, bad("1", "ss")}, answer{2, 1, "run01"}},
		"across sessions":       {[]did{{session: "b", results: "F", cause: "1", state: "s"}, bad("1", "ss")}, answer{2, 1, "run01"}},
		"one state not known":   {[]did{bad("1", "s"), bad("1", ""), bad("1", "ss")}, answer{3, -1, "run01"}},
		"a state not on record": {[]did{bad("1", "s"), bad("1", "x"), bad("1", "ss")}, answer{3, -1, "run01"}},
	} {
		got := classify.Test(classify.Subject{Timeline: timeline("T", c.runs...), SessionID: "a", Edits: edits}).SameFailure
		if c.want.run == 0 {
			if got != nil {
				t.Errorf("%s: %+v, want none", name, got)
			}
			continue
		}
		if got == nil || (answer{got.Run, got.Edits, got.SinceID}) != c.want || got.Signature != "1" || got.Since.IsZero() {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestEditsAreUnknownWithoutAWayToCountThem(t *testing.T) {
	line := timeline("T", did{session: "a", results: "F", cause: "1", state: "s"}, did{session: "a", results: "F", cause: "1", state: "t"})
	if got := classify.Test(classify.Subject{Timeline: line, SessionID: "a"}).SameFailure; got == nil || got.Edits != -1 {
		t.Errorf("%+v", got)
	}
}

func TestFailedSessionsCountsDistinctSessions(t *testing.T) {
	for _, c := range []struct {
		runs      string
		failed    int
		recurring bool
	}{
		{"a:F a:F a:F a:F a:F a:F a:F a:F a:F a:F", 1, false},
		{"a:F b:F", 2, false},
		{"a:F b:F c:F", 3, true},
		{"a:F a:P b:F b:P c:F c:P", 0, false},
		{"a:F b:P c:F d:P e:F", 3, true},
		{"a:F b:F c:F d:P", 3, true},
		{"a:F b:F c:F d:P e:P", 3, true},
		{"a:F b:F c:F d:P e:P f:P", 3, false},
		{"a:F b:F c:F d:P d:P d:P", 3, true}, // three runs are not three sessions
		{"a:F b:F c:F d:P e:S f:S", 3, true}, // a skip is not a recovery
		{"a:F b:F c:F d:P e:P f:P g:F", 4, true},
		{"a:U b:U c:U", 3, true},
		{"a:F b:F c:F a:P", 2, false},
	} {
		words := strings.Fields(c.runs)
		got := classify.Test(classify.Subject{Timeline: timeline("T", runs(words...)...), SessionID: words[len(words)-1][:1]})
		if got.FailedSessions != c.failed || got.Recurring != c.recurring {
			t.Errorf("%q: %d failed sessions, recurring %t; want %d, %t", c.runs, got.FailedSessions, got.Recurring, c.failed, c.recurring)
		}
	}
}

func TestFlakyNeedsEqualCircumstances(t *testing.T) {
	pass := did{session: "a", results: "P", state: "s", env: "e"}
	for name, c := range map[string]struct {
		other func(*did)
		flaky bool
	}{
		"the same":                   {func(*did) {}, true},
		"in another session":         {func(d *did) { d.session = "b" }, true},
		"unfinished":                 {func(d *did) { d.results = "U" }, true},
		"on another state":           {func(d *did) { d.state = "t" }, false},
		"in another environment":     {func(d *did) { d.env = "f" }, false},
		"while files changed":        {func(d *did) { d.mixed = true }, false},
		"of a triage":                {func(d *did) { d.kind = api.KindTriage }, false},
		"on a state nobody knows":    {func(d *did) { d.state = "" }, false},
		"that proves nothing":        {func(d *did) { d.results = "S" }, false},
		"that never started":         {func(d *did) { d.results = "N" }, false},
		"that passed too":            {func(d *did) { d.results = "P" }, false},
		"of a recorded output":       {func(d *did) { d.kind = api.KindIngest }, false},
		"that was imported":          {func(d *did) { d.session = "import:a" }, false},
		"with several of each in it": {func(d *did) { d.results = "PFPF" }, true},
	} {
		bad := pass
		bad.results = "F"
		c.other(&bad)
		for order, line := range [][]did{{pass, bad}, {bad, pass}} {
			got := classify.Flaky(timeline("T", line...).Points)
			if (got != nil) != c.flaky {
				t.Errorf("a pass and a failure %s, order %d: %+v", name, order, got)
			}
		}
	}
	if got := classify.Flaky(timeline("T", did{session: "a", results: "P"}, did{session: "a", results: "F"}).Points); got != nil {
		t.Errorf("two unknown states are not equal: %+v", got)
	}
	if got := classify.Flaky(timeline("T", did{session: "a", results: "P", state: "s", env: "-"}, did{session: "a", results: "F", state: "s", env: "-"}).Points); got != nil {
		t.Errorf("two unknown environments are not equal: %+v", got)
	}
}

// Two tests may share a name, such as those of a package and of its external tests: in
// each run one passes and the other fails.
func TestTwoTestsOfOneNameAreNotFlaky(t *testing.T) {
	for _, results := range []string{"PF", "FP"} {
		red := did{session: "a", results: results, state: "s"}
		if got := classify.Flaky(timeline("T", red, red).Points); got != nil {
			t.Errorf("%s: %+v", results, got)
		}
		green := did{session: "a", results: "PP", state: "s"}
		if got := classify.Flaky(timeline("T", red, green).Points); got == nil || got.FailedRun != "run01" || got.PassedRun != "run02" {
			t.Errorf("%s, then green: %+v", results, got)
		}
	}
}

func TestTheMostRecentEvidenceIsReported(t *testing.T) {
	line := timeline("T",
		did{session: "a", results: "P", state: "s", seed: "1"}, did{session: "a", results: "F", state: "s", seed: "2"},
		did{session: "a", results: "F", state: "t", seed: "3"}, did{session: "a", results: "P", state: "t", seed: "4"},
		did{session: "a", results: "F", state: "u", seed: "5"})
	got := classify.Test(classify.Subject{Timeline: line, SessionID: "a"}).Flaky
	if diff := cmp.Diff(&api.Flaky{Fingerprint: "t", PassedRun: "run04", FailedRun: "run03", Seeds: []string{"4", "3"}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSeedsThatDifferAreNamed(t *testing.T) {
	for _, c := range []struct {
		passed, failed string
		told           bool
	}{{"1", "2", true}, {"1", "1", false}, {"", "2", false}, {"1", "", false}} {
		got := classify.Flaky(timeline("T", did{session: "a", results: "P", state: "s", seed: c.passed}, did{session: "a", results: "F", state: "s", seed: c.failed}).Points)
		if got == nil || (got.Seeds != nil) != c.told {
			t.Errorf("seeds %q and %q: %+v", c.passed, c.failed, got)
		}
	}
}

func TestAnEmptyTimelineSaysNothing(t *testing.T) {
	if diff := cmp.Diff(api.Standing{}, classify.Test(classify.Subject{Timeline: history.Timeline{}, SessionID: "a"})); diff != "" {
		t.Error(diff)
	}
}

func TestATestIsKnownByItsPointsToo(t *testing.T) {
	line := timeline("T", runs("a:S", "b:P")...)
	line.FirstSession = ""
	if got := classify.Test(classify.Subject{Timeline: line, SessionID: "b"}).Classification; got != api.Steady {
		t.Errorf("it is %q", got)
	}
}

func TestTheLastCauseOfARunCounts(t *testing.T) {
	line := timeline("T", did{session: "a", results: "FF"}, did{session: "a", results: "F", cause: "2"})
	line.Points[0].Signature, line.Points[1].Signature = "1", "2"
	if got := classify.Test(classify.Subject{Timeline: line, SessionID: "a"}).SameFailure; got == nil || got.Run != 2 || got.Signature != "2" {
		t.Errorf("%+v", got)
	}
}
