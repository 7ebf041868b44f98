package plugin

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// anySink records whatever it is given.
type anySink struct{ got []any }

func (s *anySink) Test(t sdk.TestResult)        { s.got = append(s.got, t) }
func (s *anySink) Failure(f sdk.Failure)        { s.got = append(s.got, f) }
func (s *anySink) Suite(r sdk.SuiteResult)      { s.got = append(s.got, r) }
func (s *anySink) Unread(u sdk.Unread)          { s.got = append(s.got, u) }
func (s *anySink) Note(text string)             { s.got = append(s.got, text) }
func (s *anySink) RunError(text string)         { s.got = append(s.got, text) }
func (s *anySink) Condition(name, value string) { s.got = append(s.got, name, value) }
func (s *anySink) Output(data []byte)           { s.got = append(s.got, string(data)) }
func (s *anySink) Progress(p sdk.Progress)      { s.got = append(s.got, p) }

type anyListSink struct{ got []any }

func (s *anyListSink) Suite(l sdk.ListedSuite) { s.got = append(s.got, l) }
func (s *anyListSink) Part(p sdk.ListedPart)   { s.got = append(s.got, p) }
func (s *anyListSink) Error(text string)       { s.got = append(s.got, text) }

func restingWatch() *watch { return newWatch(time.Hour, func(string) {}) }

// filled returns a T in which every text has size bytes and every list and map has n
// entries.
func filled[T any](size, n int) T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), size, n)
	return v
}

func fill(v reflect.Value, size, n int) {
	switch v.Interface().(type) {
	case sdk.Status, sdk.Precision:
		return // numbers on the wire, so there is no text of a plugin in them
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Repeat("ü", size/2))
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), size, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(v.Index(i), size, n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range n {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, size, n)
			fill(value, size, n)
			v.SetMapIndex(key, value)
		}
	}
}

// longest returns the place and the length of the longest text in v.
func longest(v reflect.Value, path string) (string, int) {
	where, most := path, 0
	consider := func(v reflect.Value, path string) {
		if w, n := longest(v, path); n > most {
			where, most = w, n
		}
	}
	switch v.Kind() {
	case reflect.Interface:
		return longest(v.Elem(), path)
	case reflect.String:
		return path, v.Len()
	case reflect.Struct:
		for i := range v.NumField() {
			consider(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			consider(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			consider(key, path+" key")
			consider(v.MapIndex(key), path+" value")
		}
	}
	return where, most
}

func TestEveryTextThatAPluginSendsIsBounded(t *testing.T) {
	const huge = 1 << 20
	report := func(size int) []any {
		sink, list := &anySink{}, &anyListSink{}
		g, l := eventGuard{sink: sink, gate: gate{restingWatch(), paidBudget()}}, listGuard{sink: list, gate: gate{restingWatch(), paidBudget()}}
		g.Test(filled[sdk.TestResult](size, 2))
		g.Failure(filled[sdk.Failure](size, 2))
		g.Suite(filled[sdk.SuiteResult](size, 2))
		g.Unread(filled[sdk.Unread](size, 2))
		g.Note(filled[string](size, 2))
		g.RunError(filled[string](size, 2))
		g.Progress(filled[sdk.Progress](size, 2*sdk.MaxRunning))
		l.Suite(filled[sdk.ListedSuite](size, 2))
		l.Part(filled[sdk.ListedPart](size, 2))
		l.Error(filled[string](size, 2))
		return append(append(sink.got, list.got...), boundDetection(filled[sdk.Detection](size, 2)),
			boundPlan(sdk.Plan{Warnings: filled[[]string](size, 2)}))
	}
	for _, got := range report(huge) {
		if where, n := longest(reflect.ValueOf(got), fmt.Sprintf("%T", got)); n > sdk.MaxOutput || n > sdk.MaxText && !strings.HasSuffix(where, ".Output") {
			t.Errorf("%s has %d bytes", where, n)
		}
	}
	// Ordinary texts pass unchanged.
	for _, got := range report(60) {
		if where, n := longest(reflect.ValueOf(got), fmt.Sprintf("%T", got)); n != 60 {
			t.Errorf("%s has %d bytes", where, n)
		}
	}
}

func TestGuardsPassEverythingOn(t *testing.T) {
	sink := &anySink{}
	g := eventGuard{sink: sink, gate: gate{restingWatch(), paidBudget()}}
	failure := filled[sdk.Failure](8, 1)
	failure.Repro = sdk.Command{Argv: []string{"go", "test"}, Dir: "sub"}
	want := []any{filled[sdk.TestResult](8, 1), failure, filled[sdk.SuiteResult](8, 1), filled[sdk.Unread](8, 1), "note", "error", "data", filled[sdk.Progress](8, 1)}
	g.Test(filled[sdk.TestResult](8, 1))
	g.Failure(failure)
	g.Suite(filled[sdk.SuiteResult](8, 1))
	g.Unread(filled[sdk.Unread](8, 1))
	g.Note("note")
	g.RunError("error")
	g.Output([]byte("data"))
	g.Progress(filled[sdk.Progress](8, 1))
	if diff := cmp.Diff(want, sink.got); diff != "" {
		t.Error(diff)
	}
}

func TestProgressHoldsFewTestsAndSuites(t *testing.T) {
	sink := &anySink{}
	eventGuard{sink: sink, gate: gate{restingWatch(), paidBudget()}}.Progress(filled[sdk.Progress](8, 1000))
	got := sink.got[0].(sdk.Progress)
	if tests, suites := len(got.Running), len(got.SuitesRunning); tests != sdk.MaxRunning || suites != sdk.MaxRunning {
		t.Errorf("%d tests and %d suites", tests, suites)
	}
}

var _ client.EventSink = (*anySink)(nil)

// paidBudget is a budget with some credit.
func paidBudget() *budget {
	b := &budget{}
	b.earn(1)
	return b
}

func TestAPassNeedsANameAndSomethingThatItWasReadFrom(t *testing.T) {
	pass := sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Passed}
	nameless := sdk.TestResult{TestID: sdk.TestID{Suite: "s"}, Status: sdk.Failed}
	fixture := sdk.TestResult{TestID: sdk.TestID{Suite: "s"}, Status: sdk.Failed, Fixture: true}
	failed := sdk.TestResult{TestID: pass.TestID, Status: sdk.Failed}
	for name, c := range map[string]struct {
		result   sdk.TestResult
		budget   *budget
		prepares bool
		says     string
	}{
		"a pass":                              {result: pass, budget: paidBudget()},
		"a test without a name":               {result: nameless, budget: paidBudget(), says: "without a name"},
		"a fixture without a name":            {result: fixture, budget: paidBudget()},
		"a pass in a command that prepares":   {result: pass, budget: paidBudget(), prepares: true, says: "runs no test"},
		"a pass of a command without output":  {result: pass, budget: &budget{}, says: "printed nothing"},
		"a failure of one that prepares":      {result: failed, budget: paidBudget(), prepares: true},
		"a failure of one that is all silent": {result: failed, budget: &budget{}},
	} {
		t.Run(name, func(t *testing.T) {
			sink, said := &anySink{}, ""
			eventGuard{
				sink: sink, gate: gate{restingWatch(), c.budget}, prepares: c.prepares,
				violated: func(v *violation) { said = v.reason },
			}.Test(c.result)
			if !strings.Contains(said, c.says) || (said == "") != (c.says == "") || (len(sink.got) == 1) != (c.says == "") {
				t.Errorf("%q, delivered %v", said, sink.got)
			}
		})
	}
}
