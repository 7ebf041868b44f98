package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/mcp/pick"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/sdk"
)

// unmapped are the fields that the object of an answer does not have although limits has
// them, by the reason. They are keys as in limits; what lies within such a field is left
// out with it.
var unmapped = map[string][]string{
	"answers of tools have no versions": {
		"Run.Schema", "Covering.Schema", "CoveringDiff.Schema", "TestList.Schema", "Diagnosis.Schema", "Context.Schema",
	},
	"the caller named it, or located says it": {
		"Run.SessionID", "Run.Workspace", "Run.Selection", "Covering.Workspace", "CoveringDiff.Workspace", "TestList.Workspace",
		"FailuresPage.Run > Run.Kind", "FailuresPage.Run > Run.Affected", "FailuresPage.Run > Run.TimeoutS",
		"TestList.Selection > Selection.Packages", "TestList.Selection > Selection.MatchPath", "TestList.Selection > Selection.MatchContract", "TestList.Selection > Selection.Filter",
		"TestList.Selection > Selection.RunnerArgs", "TestList.Selection > Selection.Affected", "TestList.Selection > Selection.Shard", "TestList.Selection > Selection.Selected", "TestList.Selection > Selection.Total", "NoRunError.Language",
	},
	"a status or an age says it": {
		"run > Run.State", "Run.StartedAt", "Covering.MeasuredAt", "Earlier.At",
	},
	"a deadline that did not end the run":      {"run > Run.TimeoutS"},
	"a time-out has an exit code of its own":   {"RawOutput.ExitCode"},
	"there is output":                          {"RawOutput.Unrecorded"},
	"its kinds say it":                         {"Earlier.Count"},
	"the session is told if it is another one": {"Earlier.SessionID"},
	"exit_code says it":                        {"Run.Signal"},
	"the failure's precision says it":          {"Excerpt.Declared"},
	"the reason says it":                       {"Run.Caveats"},
	"get_run tells it of the same run": {
		"FailuresPage.Run > Run.ExitCode", "FailuresPage.Run > Run.Commands", "FailuresPage.Run > Run.Unfinished", "FailuresPage.Run > Run.NeverStarted",
		"FailuresPage.Run > Run.Requested", "FailuresPage.Run > Run.RunError", "FailuresPage.Run > Run.Message", "FailuresPage.Run > Run.Advice",
		"FailuresPage.Run > Run.Warnings", "FailuresPage.Run > Run.Coverage", "FailuresPage.Run > Run.Retried",
	},
	"the Run object has it, and no tool takes it": {
		"Run.Plugin", "Run.Commands > Command.Dir", "Run.Seed", "Run.Conditions", "Run.Source", "Run.MixedState", "Run.Environment", "Run.Causes", "Run.Origin",
		"Run.OutstandingCounts", "Run.Counts > Counts.TestsPassed", "Run.Counts > Counts.TestsSkipped", "Run.Counts > Counts.Subtests", "Run.Counts > Counts.Repeats", "Run.Counts > Counts.SubtestsUnfinished", "Run.Counts > Counts.TestsCached", "Run.RetryOf", "Run.Shard", "Run.Merged", "Run.From", "TestList.Plugin",
	},
	"a warning says it":                      {"Run.Counts > Counts.ParseSkippedBytes"},
	"the verdict in the text says it":        {"run > Run.Counts > Counts.Fixtures"},
	"the answer to a run is about that run":  {"run > Run.Running"},
	"got and want say it":                    {"run > Run.Failures > Diff.Text", "repeated > Diff.Text"},
	"a line is precise enough":               {"Also.Location > Location.Column", "Failure.Stack > Frame.Location > Location.Column"},
	"the note names them":                    {"Context.Flaky", "Context.FlakyTotal"},
	"the list of what is outstanding has it": {"Context.Outstanding", "Context.OutstandingCounts", "Context.OutstandingTests"},
	"the suite and the test name it":         {"run > Failure.ID"},
	"why_failing has it":                     {"run > SameFailure.Since", "run > SameFailure.SinceID"},
	"get_run has it of the same run":         {"TestOutput.Run", "StreamPage.Run"},
	"a log is only what was printed":         {"log", "output"},
	"next_offset says it":                    {"FailuresPage.Recorded"},
	"the words of the note stand in more":    {"FailuresPage.Notes > Note.Code"},
}

// arriving are the fields that arrive although one around them is in unmapped.
var arriving = []string{
	"TestOutput.Run > Run.RunID", "TestOutput.Run > Run.Language", "StreamPage.Run > Run.RunID", "StreamPage.Run > Run.Language", "StreamPage.Run > Run.State",
	"log > runObject.Raw", "output > outputObject.Text", "output > outputObject.NextOffset", "output > outputObject.TotalBytes",
}

// kindsOf are the kinds of answers of each tool.
var kindsOf = map[string][]string{
	"run_tests": {"run", "raw", "results", "test response"}, "run_failing_tests": {"run", "raw"}, "get_run": {"run", "raw", "results", "test response"}, "cancel_run": {"run"},
	"last_test_failures": {"failures", "failures of several languages", "none"}, "get_test_output": {"stream", "test output"},
	"why_failing": {"why", "diff"}, "triage_failures": {"triage"}, "test_history": {"history"}, "tests_covering": {"covering", "covering changes"},
	"list_tests": {"list"}, "workspace_info": {"info", "context", "running"},
	"": {"source", "repeated", "run resource", "history resource", "log", "output"}, // resources, and a form of failures
}

// TestEveryFieldArrives changes the fields of an answer one by one, and expects the
// object to change each time: a field that someone adds must not vanish on its way.
func TestEveryFieldArrives(t *testing.T) {
	t.Parallel()
	a := arrivals{used: map[string]bool{}, kinds: map[string]bool{}, keys: map[string][]limits.Field{}}
	checkArrivals(t, a, "run", func(r api.Run) any {
		return objectOf(r, pick.Failures(r.Failures, r.FailuresTotal, shownFailures), nil)
	})
	checkArrivals(t, a, "source", func(x api.Excerpt) any {
		told := []toldFailure{{Failure: api.Failure{Failure: sdk.Failure{Location: sdk.Location{File: x.File, Line: x.Line}}}}}
		addSource(told, []api.Excerpt{limits.Of(x)})
		return told
	})
	checkArrivals(t, a, "results", func(r api.Result) any {
		return pageOfResults(api.Run{Results: []api.Result{r}}, outputResults, "", 0, 1).object
	})
	checkArrivals(t, a, "test response", func(r report.ForgeResponse) any { return limits.Of(r) })
	checkArrivals(t, a, "raw", func(o api.RawOutput) any { return rawText(o) })
	failures := func(p api.FailuresPage) answer { return newFailuresPage(p).answer(len(p.Run.Failures)) }
	checkArrivals(t, a, "failures", func(p api.FailuresPage) any { return failures(p).object })
	made := a
	made.made = true
	checkArrivals(t, made, "failures of several languages", func(o failuresObject) any { return oneOfEach([]answer{{object: o}, {object: failuresObject{}}}).object })
	checkArrivals(t, a, limits.Repeated, func(f api.Failure) any { return limits.With(&limits.Limiter{As: limits.Repeated}, f) })
	checkArrivals(t, a, "none", func(none api.NoRunError) any { return noRun(&none).object })
	checkArrivals(t, a, "stream", func(p api.StreamPage) any {
		unrecorded := streamAnswer(p, api.BothStreams, true).object
		p.Total, p.Unrecorded = p.Total*1e9, false // standard error begins within it
		return []any{unrecorded, streamAnswer(p, api.BothStreams, true).object}
	})
	checkArrivals(t, a, "test output", func(o api.TestOutput) any { return testOutputAnswer(o, 0, maxLog).object })
	checkArrivals(t, a, "why", func(w api.Why) any { return whyAnswer(w).object })
	checkArrivals(t, a, "diff", func(d api.RunDiff) any { return diffAnswer(d).object })
	checkArrivals(t, a, "history", func(h api.History) any { return historyAnswer(h, 0, api.MaxHistoryLimit).object })
	checkArrivals(t, a, "covering", func(c api.Covering) any { return coveringAnswer(c).object })
	checkArrivals(t, a, "covering changes", func(d api.CoveringDiff) any { return coveringDiffAnswer(d).object })
	checkArrivals(t, a, "triage", func(one api.Triage) any { return triageAnswer([]api.Triage{one}).object })
	checkArrivals(t, a, "list", func(l api.TestList) any { return listAnswer(l).object })
	checkArrivals(t, a, "info", func(d api.Diagnosis) any { return infoObject{}.answer(d).object })
	checkArrivals(t, a, "context", func(c api.Context) any {
		var info infoObject
		info.addContext(c)
		return info
	})
	checkArrivals(t, a, "running", func(r infoRun) any { running, _ := firstRuns([]infoRun{r}); return running })
	resource := func(contents func(answer) (*mcp.ResourceContents, error), object any) any {
		c, err := contents(answer{object: object})
		if err != nil {
			t.Fatal(err)
		}
		return c.Text
	}
	checkArrivals(t, made, "run resource", func(o runObject) any { return resource(objectContents, o) })
	checkArrivals(t, made, "history resource", func(o historyObject) any { return resource(objectContents, o) })
	checkArrivals(t, a, "log", func(o runObject) any { return resource(textContents, o) })
	checkArrivals(t, a, "output", func(o outputObject) any { return resource(textContents, o) })
	for _, key := range limits.Keys() {
		if !a.used[key] {
			t.Errorf("%s is in limits, and no answer has such a field", key)
		}
	}
	for _, keys := range unmapped {
		for _, key := range keys {
			if !a.used[key] {
				t.Errorf("%s is in unmapped, and no answer has such a field", key)
			}
		}
	}
	for _, tool := range tools() {
		for _, kind := range kindsOf[tool.name] {
			if !a.kinds[kind] {
				t.Errorf("%s has answers of the kind %q, none of whose fields is checked", tool.name, kind)
			}
		}
		if len(kindsOf[tool.name]) == 0 {
			t.Errorf("the fields of the answers of %s are not checked", tool.name)
		}
	}
}

// A field added to a type of an answer arrives even if the limiter has no rule for it.
func TestAddedFieldArrives(t *testing.T) {
	t.Parallel()
	type entry struct{ Name string }
	type added struct {
		api.Failure
		Text    string
		Entries []entry
		At      *entry
		Texts   map[string]string
	}
	want := added{Failure: api.Failure{ID: "id"}, Text: "text", Entries: []entry{{"first"}, {"second"}}, At: &entry{"at"}, Texts: map[string]string{"key": "text"}}
	got := limits.Of(want)
	got.Failure, want.Failure = api.Failure{}, api.Failure{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v became %+v", want, got)
	}
}

// arrivals is what the checks of fields have seen: keys of limits and unmapped, and kinds
// of answers.
type arrivals struct {
	used, kinds map[string]bool
	keys        map[string][]limits.Field
	// made reports whether the answer is made of an object, in which everything arrives.
	made bool
}

// checkArrivals checks the fields of one kind of answer.
func checkArrivals[T any](t *testing.T, a arrivals, kind string, object func(T) any) {
	t.Helper()
	a.kinds[kind] = true
	var whole T
	var all leaves
	all.fill(t, reflect.ValueOf(&whole).Elem(), []limits.Field{{Of: kind}}, nil)
	show := func() []byte {
		raw, err := prose.JSON(object(whole))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		return raw
	}
	before := show()
	for _, f := range all {
		reason := a.leftOut(f.way)
		undo := f.change()
		arrived := !bytes.Equal(before, show())
		undo()
		switch {
		case !arrived && reason == "":
			t.Errorf("%v does not arrive, and neither limits nor unmapped says why", f.way)
		case arrived && reason != "":
			t.Errorf("%v arrives, though it is left out: %s", f.way, reason)
		}
	}
	if after := show(); !bytes.Equal(before, after) {
		t.Errorf("%s: to make the answer changes what it is made of", kind)
	}
}

// leftOut returns why answers leave out the field that a way leads to; empty if they do
// not.
func (a arrivals) leftOut(way []limits.Field) (reason string) {
	fits := func(key string, at int) bool {
		if a.keys[key] == nil {
			a.keys[key] = limits.ParseKey(key)
		}
		last := len(a.keys[key]) - 1
		of := a.keys[key][last]
		fits := (of == way[at] || of == limits.Field{Of: way[at].Of}) && limits.PassesInOrder(way[:at], a.keys[key][:last])
		if fits {
			a.used[key] = true
		}
		return fits
	}
	if a.made {
		return ""
	}
	for i := range way {
		for _, key := range limits.Keys() {
			fits(key, i)
		}
		if out := limits.LeftOut(way[:i+1]); out != "" {
			reason = out
		}
		for why, keys := range unmapped {
			for _, key := range keys {
				if fits(key, i) {
					reason = why
				}
			}
		}
		for _, key := range arriving {
			if fits(key, i) {
				reason = ""
			}
		}
	}
	return reason
}

// leaf is a field that holds a value, and the way to it.
type leaf struct {
	value reflect.Value
	way   []limits.Field
	other any
}

// change changes the field's value until undo is called.
func (f leaf) change() (undo func()) {
	old := reflect.New(f.value.Type()).Elem()
	old.Set(f.value)
	f.value.Set(reflect.ValueOf(f.other).Convert(f.value.Type()))
	return func() { f.value.Set(old) }
}

type leaves []leaf

// fill gives each field within v a value of its own, and each list one entry. around are
// the structs that v is within.
func (all *leaves) fill(t *testing.T, v reflect.Value, way []limits.Field, around []reflect.Value) {
	t.Helper()
	n := len(*all) + 1
	set := func(value, other any) {
		v.Set(reflect.ValueOf(value).Convert(v.Type()))
		*all = append(*all, leaf{v, way, other})
	}
	switch v.Interface().(type) {
	case time.Time:
		at := time.Date(2001, 1, 1, 0, n, 0, 0, time.UTC)
		set(at, at.AddDate(1, 0, 0))
		return
	case time.Duration:
		set(time.Duration(n)*time.Second, time.Duration(n+1)*time.Hour)
		return
	case json.Number:
		set(fmt.Sprint(n), fmt.Sprint(n+1_000_000))
		return
	case api.State:
		set(api.StateFinished, api.StateRunning)
		return
	case api.Operation:
		set(api.AdviseRunThere, api.AdviseDropSlip)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Tag.Get("json") != "-" { // else it is no part of any answer
				all.fill(t, v.Field(i), append(slices.Clip(way), limits.Field{Of: v.Type().Name(), Name: f.Name}), append(slices.Clip(around), v))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		all.fill(t, v.Elem(), way, around)
	case reflect.Slice:
		if !isCounted(v, way, around) {
			t.Errorf("%v may be shortened, and nothing counts what is left off", way)
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		all.fill(t, v.Index(0), way, around)
	case reflect.Map:
		set(map[string]string{fmt.Sprint("k", n): fmt.Sprint("v", n)}, map[string]string{fmt.Sprint("k", n): fmt.Sprint("w", n)})
	case reflect.String:
		set(fmt.Sprint("v", n), fmt.Sprint("w", n))
	case reflect.Bool:
		set(true, false)
	case reflect.Int, reflect.Int64, reflect.Uint64:
		set(n, n+1_000_000)
	case reflect.Float64:
		set(float64(n)+.5, float64(n)+1_000_000)
	default:
		t.Fatalf("%v: a value of type %v cannot be filled yet", way, v.Type())
	}
}

// isCounted reports whether an answer says how many entries a list has lost: by an entry of
// its own, a total in a struct around it or, of a diagnosis, in words.
func isCounted(list reflect.Value, way []limits.Field, around []reflect.Value) bool {
	loses, total := limits.Loses(way)
	switch {
	case !loses:
		return true
	case total == "":
		return list.Type().Elem().Kind() == reflect.String || way[0].Of == "info"
	}
	return slices.ContainsFunc(around, func(v reflect.Value) bool {
		for name := range strings.SplitSeq(total, ".") {
			if v = v.FieldByName(name); !v.IsValid() {
				return false
			}
		}
		return v.CanInt()
	})
}
