package quarantine

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

var now = time.Date(2026, 6, 30, 23, 0, 0, 0, time.UTC)

func failure(test, message string) api.Failure {
	return api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: test}, Kind: sdk.KindAssertion, Location: sdk.Location{File: "a_test.go", Line: 3}, Message: message}}
}

func entry(test, message string) Entry {
	return Entry{Language: "go", TestID: sdk.TestID{Suite: "s", Test: test}, Reason: "known", Signatures: []string{SignatureOf(failure(test, message))}}
}

func ended(test string, status sdk.Status, change ...func(*sdk.TestResult)) *api.TestEnded {
	r := sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: test}, Status: status}
	for _, c := range change {
		c(&r)
	}
	return &api.TestEnded{Result: api.Result{TestResult: r}}
}

func in(root string) func(*sdk.TestResult) { return func(r *sdk.TestResult) { r.Root = root } }

func derived(r *sdk.TestResult) { r.Derived = true }

func fixture(r *sdk.TestResult) { r.Fixture = true }

func failed(test, message string) *api.FailureFound {
	return &api.FailureFound{Failure: failure(test, message)}
}

func over(outcome sdk.SuiteOutcome) *api.SuiteEnded {
	return &api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "s", Outcome: outcome}}
}

func TestOnlyTheKnownFailureIsExcused(t *testing.T) {
	a, sub := entry("A", "server 17 is slow"), entry("P/x", "known")
	with := func(also ...string) api.Failure {
		f := failure("A", "server 17 is slow")
		for _, message := range also {
			f.Also = append(f.Also, sdk.Also{Message: message})
		}
		return f
	}
	saying := func(also ...string) Entry {
		return Entry{Language: "go", TestID: a.TestID, Signatures: []string{SignatureOf(with(also...))}}
	}
	for name, c := range map[string]struct {
		entries  []Entry
		events   []api.Event
		excused  int
		suite    bool
		results  int
		failures int
	}{
		"the known one":                               {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), over(sdk.SuiteFailed)}, 1, true, 1, 1},
		"twice":                                       {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("A", sdk.Failed), failed("A", "server 17 is slow"), over(sdk.SuiteFailed)}, 1, true, 2, 2},
		"twice, told once":                            {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("A", sdk.Failed), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"without a word":                              {[]Entry{a}, []api.Event{ended("A", sdk.Failed), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"another message":                             {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server is dead"), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"another failure, too":                        {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), failed("A", "dead"), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"it says more":                                {[]Entry{a}, []api.Event{ended("A", sdk.Failed), &api.FailureFound{Failure: with("another fault")}, over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"another test":                                {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("B", sdk.Failed), failed("B", "x"), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"another without a word":                      {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("B", sdk.Failed), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"something of the suite":                      {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), failed("", "leak"), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"the suite ended early":                       {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), over(sdk.SuiteAborted)}, 1, false, 1, 1},
		"the suite outside":                           {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), over(sdk.SuiteFailedOutsideTests)}, 1, false, 1, 1},
		"the suite has no end":                        {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow")}, 1, false, 1, 1},
		"a suite with two ends":                       {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), over(sdk.SuiteAborted), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"unfinished":                                  {[]Entry{a}, []api.Event{ended("A", sdk.Unfinished), failed("A", "server 17 is slow"), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"a fixture of that name":                      {[]Entry{a}, []api.Event{ended("A", sdk.Failed, fixture), failed("A", "server 17 is slow"), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"a part":                                      {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, true, 1, 1},
		"a part, and the whole":                       {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Failed), failed("P", "own"), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"a part, and another":                         {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P/y", sdk.Failed, in("P")), failed("P/y", "z"), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"a whole of another":                          {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Failed, derived), ended("Q", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"something of the suite alone":                {[]Entry{a}, []api.Event{ended("A", sdk.Passed), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"others that did not fail":                    {[]Entry{a, entry("B", "x")}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("A", sdk.Passed), ended("B", sdk.Passed), ended("C", sdk.Passed), ended("D", sdk.Skipped), over(sdk.SuiteFailed)}, 1, true, 1, 1},
		"with another in quarantine":                  {[]Entry{a, sub}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 2, true, 2, 2},
		"another in quarantine fails otherwise":       {[]Entry{a, entry("B", "x")}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("B", sdk.Failed), failed("B", "y"), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"in a suite of two commands":                  {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), over(sdk.SuiteFailed), over(sdk.SuiteFailed)}, 1, true, 1, 1},
		"failed, then unfinished":                     {[]Entry{a}, []api.Event{ended("A", sdk.Failed), failed("A", "server 17 is slow"), ended("A", sdk.Unfinished), over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"with what else it said":                      {[]Entry{saying("one", "two")}, []api.Event{ended("A", sdk.Failed), &api.FailureFound{Failure: with("one", "two")}, over(sdk.SuiteFailed)}, 1, true, 1, 1},
		"it says something else, too":                 {[]Entry{saying("one", "two")}, []api.Event{ended("A", sdk.Failed), &api.FailureFound{Failure: with("one", "three")}, over(sdk.SuiteFailed)}, 0, false, 0, 0},
		"a part, and the whole in quarantine":         {[]Entry{sub, entry("P", "known")}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, true, 1, 1},
		"a part of a part":                            {[]Entry{entry("P/x/1", "known")}, []api.Event{ended("P/x/1", sdk.Failed, in("P")), failed("P/x/1", "known"), ended("P/x", sdk.Failed, in("P"), derived), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, true, 1, 1},
		"a part, and what is around another":          {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P/y", sdk.Failed, in("P"), derived), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"a part, and a whole without an end":          {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Unfinished, derived), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"a part, and a fixture around it":             {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Failed, derived, fixture), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"a part, and one of a name that begins alike": {[]Entry{entry("P/xy", "known")}, []api.Event{ended("P/xy", sdk.Failed, in("P")), failed("P/xy", "known"), ended("P/x", sdk.Failed, in("P"), derived), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"a whole of a name that begins alike":         {[]Entry{sub}, []api.Event{ended("P/x", sdk.Failed, in("P/")), failed("P/x", "known"), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 1, false, 1, 1},
		"the whole, not its parts":                    {[]Entry{entry("P", "known")}, []api.Event{ended("P/x", sdk.Failed, in("P")), failed("P/x", "known"), ended("P", sdk.Failed, derived), over(sdk.SuiteFailed)}, 0, false, 0, 0},
	} {
		j := NewJudge(c.entries, now)
		around := 0
		for _, e := range c.events {
			j.Listen(e)
			if t, ok := e.(*api.TestEnded); ok && t.Result.Derived && c.suite {
				around++
			}
		}
		found := j.Find()
		if len(found.Derived) != around || len(found.Excused) != c.excused || found.Suites["s"] != c.suite || found.Results != c.results || found.Failures != c.failures {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestWhatEndsAProcessIsNeverExcused(t *testing.T) {
	for _, kind := range []string{sdk.KindBuild, sdk.KindVet, sdk.KindSetup, sdk.KindTimeout, sdk.KindSignal, sdk.KindFatal, sdk.KindExit} {
		f := failure("A", "x")
		f.Kind = kind
		j := NewJudge([]Entry{{Language: "go", TestID: sdk.TestID{Suite: "s", Test: "A"}, Signatures: []string{SignatureOf(f)}}}, now)
		j.Listen(ended("A", sdk.Failed))
		j.Listen(&api.FailureFound{Failure: f})
		j.Listen(over(sdk.SuiteFailed))
		if found := j.Find(); len(found.Excused) > 0 || len(found.Otherwise) != 1 {
			t.Errorf("%s: %+v", kind, found)
		}
	}
}

func TestAnIncompletelyKnownFailureIsNeverExcused(t *testing.T) {
	for name, change := range map[string]func(*api.Failure){
		"cut by the plugin":  func(f *api.Failure) { f.Attributes = map[string]string{sdk.TruncatedAttribute: "[message]"} },
		"long":               func(f *api.Failure) { f.Message = strings.Repeat("x", 20<<10) },
		"a long further one": func(f *api.Failure) { f.Also = []sdk.Also{{Message: strings.Repeat("x", 20<<10)}} },
	} {
		f := failure("A", "x")
		change(&f)
		j := NewJudge([]Entry{{Language: "go", TestID: sdk.TestID{Suite: "s", Test: "A"}, Signatures: []string{SignatureOf(f)}}}, now)
		j.Listen(ended("A", sdk.Failed))
		j.Listen(&api.FailureFound{Failure: f})
		j.Listen(over(sdk.SuiteFailed))
		if found := j.Find(); len(found.Excused) > 0 || len(found.Otherwise) != 1 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestAnEntryCountsThroughItsLastDay(t *testing.T) {
	for expires, counts := range map[string]bool{"": true, "2026-06-30": true, "2026-06-29": false, "2027-01-01": true} {
		e := entry("A", "x")
		e.Expires = expires
		j := NewJudge([]Entry{e}, now)
		j.Listen(ended("A", sdk.Failed))
		j.Listen(failed("A", "x"))
		j.Listen(over(sdk.SuiteFailed))
		if found := j.Find(); (len(found.Excused) == 1) != counts || (len(found.Expired) == 0) != counts || found.Suites["s"] != counts {
			t.Errorf("%q: %+v", expires, found)
		}
	}
}

func TestATestWithoutAResultIsUnseenUnlessSomethingAroundItHidIt(t *testing.T) {
	for name, c := range map[string]struct {
		events []api.Event
		unseen int
		of     string
	}{
		"nothing":                {events: nil, unseen: 1},
		"skipped":                {events: []api.Event{ended("P/x", sdk.Skipped)}, unseen: 0},
		"passed":                 {events: []api.Event{ended("P/x", sdk.Passed)}, unseen: 0},
		"its parent was skipped": {events: []api.Event{ended("P", sdk.Skipped)}, unseen: 0},
		"its parent failed":      {events: []api.Event{ended("P", sdk.Failed)}, unseen: 0},
		"its parent passed":      {events: []api.Event{ended("P", sdk.Passed)}, unseen: 1},
		"its parent was skipped, and another test failed": {events: []api.Event{ended("P", sdk.Skipped), ended("Q", sdk.Failed)}, unseen: 0},
		"another test was skipped":                        {events: []api.Event{ended("Q", sdk.Skipped)}, unseen: 1},
		"a fixture of its name passed":                    {events: []api.Event{ended("P/x", sdk.Passed, fixture)}, unseen: 1},
		"a fixture of its name was skipped":               {events: []api.Event{ended("P/x", sdk.Skipped, fixture)}, unseen: 0},
		"a test whose name begins alike was skipped":      {of: "TestAB", events: []api.Event{ended("TestA", sdk.Skipped)}, unseen: 1},
		"a part whose name begins alike was skipped":      {of: "P/x-y", events: []api.Event{ended("P/x", sdk.Skipped, in("P"))}, unseen: 1},
		"a part around it was skipped":                    {of: "P/x/y", events: []api.Event{ended("P/x", sdk.Skipped, in("P"))}},
	} {
		j := NewJudge([]Entry{entry(cmp.Or(c.of, "P/x"), "known")}, now)
		for _, e := range c.events {
			j.Listen(e)
		}
		if found := j.Find(); len(found.Unseen) != c.unseen {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestEachSuiteIsJudgedByItself(t *testing.T) {
	var entries []Entry
	for _, suite := range []string{"t", "s"} {
		for _, test := range []string{"D", "C", "B", "A"} {
			e := entry(test, "x")
			e.Suite = suite
			entries = append(entries, e)
		}
	}
	j := NewJudge(entries, now)
	for _, e := range []api.Event{
		ended("A", sdk.Failed), failed("A", "x"), over(sdk.SuiteFailed),
		&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "u", Test: "A"}, Status: sdk.Failed}}},
		&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "u", Test: "A"}}}},
		&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "u", Outcome: sdk.SuiteFailed}},
	} {
		j.Listen(e)
	}
	found := j.Find()
	if !found.Suites["s"] || found.Suites["t"] || len(found.Unseen) != 7 || !slices.IsSortedFunc(found.Unseen, compare) {
		t.Errorf("%+v", found)
	}
}
