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

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// leftOut are the fields that answers leave out on purpose, by the reason. Each is the end
// of a way from type to type; what lies within such a field is left out with it.
var leftOut = map[string][]string{
	"answers of tools have no versions": {
		"Run.Schema", "Covering.Schema", "CoveringDiff.Schema", "TestList.Schema", "Diagnosis.Schema",
	},
	"the caller named it, or located says it": {
		"Run.SessionID", "Run.Workspace", "Run.Selection", "Covering.Workspace", "CoveringDiff.Workspace", "TestList.Workspace",
		"FailuresPage.Run > Run.Kind", "FailuresPage.Run > Run.Affected", "FailuresPage.Run > Run.TimeoutS",
		"TestList.Selection > Selection.Packages", "TestList.Selection > Selection.MatchPath", "TestList.Selection > Selection.MatchContract", "TestList.Selection > Selection.Filter",
		"TestList.Selection > Selection.RunnerArgs", "TestList.Selection > Selection.Affected", "TestList.Selection > Selection.Selected", "TestList.Selection > Selection.Total", "CoveringTest.Language",
	},
	"a status or an age says it": {
		"Run.State", "Run.StartedAt", "Covering.MeasuredAt", "CoveringTest.MeasuredAt",
	},
	"exit_code says it": {"Run.Signal"},
	"get_run tells it of the same run": {
		"FailuresPage.Run > Run.ExitCode", "FailuresPage.Run > Run.Commands", "FailuresPage.Run > Run.Unfinished", "FailuresPage.Run > Run.NeverStarted",
		"FailuresPage.Run > Run.Requested", "FailuresPage.Run > Run.RunError", "FailuresPage.Run > Run.Message", "FailuresPage.Run > Run.Advice",
		"FailuresPage.Run > Run.Warnings", "FailuresPage.Run > Run.Coverage",
	},
	"the Run object has it, and no tool takes it": {
		"Run.Plugin", "Run.Commands > Command.Dir", "Run.Seed", "Run.Conditions", "Run.Source", "Run.MixedState", "Run.Environment", "Run.Causes", "Run.Origin",
		"Run.OutstandingCounts", "Run.Counts > Counts.TestsPassed", "Run.Counts > Counts.TestsSkipped", "Run.Counts > Counts.Subtests", "Run.Counts > Counts.Repeats", "Run.Counts > Counts.SubtestsUnfinished", "TestList.Plugin",
	},
	"a warning says it":                     {"Run.Counts > Counts.ParseSkippedBytes"},
	"the verdict in the text says it":       {"run > Run.Counts > Counts.Fixtures"},
	"only proctor show has them":            {"Run.Results"},
	"the answer to a run is about that run": {"run > Run.Running"},
	"got and want say it":                   {"run > Run.Failures > Failure.Failure > Failure.Diff > Diff.Text"},
	"a line is precise enough":              {"Also.Location > Location.Column"},
	"get_test_output has it": {
		"Failure.Output", "Failure.OutputTruncated", "Failure.Stack", "Failure.DerivedFrom", "Failure.Repro",
	},
	"only proctor can compare them": {
		"Failure.Signature", "SameFailure.Signature", "LastPassed.Fingerprint", "Failure.Standing > Standing.Flaky > Flaky.Fingerprint",
		"DiffedTest.Standing > Standing.Flaky > Flaky.Fingerprint", "Triaged.Standing > Standing.Flaky > Flaky.Fingerprint",
		"TriageBase.Fingerprint", "TimelinePoint.Environment", "Source.Worktree",
	},
	"next_offset says it":                  {"FailuresPage.Recorded"},
	"the words of the note stand in more":  {"FailuresPage.Notes > Note.Code"},
	"the whole of the changes has it":      {"CoveringDiff.Files > Covering.Tests", "CoveringDiff.Files > Covering.Advice", "CoveringDiff.Files > Covering.State", "CoveringDiff.Files > Covering.Untold", "CoveringDiff.Files > Covering.Warnings"},
	"the problems have it":                 {"ProjectReport.Missing", "Diagnosis.Advice"},
	"a run warns of it":                    {"ProjectReport.Notes"},
	"proctor doctor tells it":              {"PluginReport.Lock"},
	"list_tests counts them":               {"ProjectReport.Tests"},
	"test_history and why_failing tell it": {"Spot.Regressed", "Spot.Tests", "Spot.Failing", "Spot.Flaky"},
}

// TestEveryFieldArrives changes one field of an answer after the other, and expects the
// object to change with each: a field that someone adds must not vanish on its way.
func TestEveryFieldArrives(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	checkArrivals(t, used, "run", func(r api.Run) any { return objectOf(r, pick(r.Failures, r.FailuresTotal, shownFailures)) })
	checkArrivals(t, used, "failures", func(p api.FailuresPage) any {
		page := failuresPage{FailuresPage: p}
		page.Run.Failures, page.short = cutFailures(p.Run.Failures)
		return page.answer(len(p.Run.Failures)).object
	})
	checkArrivals(t, used, "why", func(w api.Why) any { return whyAnswer(w).object })
	checkArrivals(t, used, "diff", func(d api.RunDiff) any { return diffAnswer(d).object })
	checkArrivals(t, used, "history", func(h api.History) any { return historyAnswer(h, 0, api.MaxHistoryLimit).object })
	checkArrivals(t, used, "covering", func(c api.Covering) any { return coveringAnswer(c).object })
	checkArrivals(t, used, "covering changes", func(d api.CoveringDiff) any { return coveringDiffAnswer(d).object })
	checkArrivals(t, used, "triage", func(one api.Triage) any { return triageAnswer([]api.Triage{one}).object })
	checkArrivals(t, used, "list", func(l api.TestList) any { return listAnswer(l).object })
	checkArrivals(t, used, "info", func(d api.Diagnosis) any {
		var info infoObject
		info.diagnose(d, infoItems)
		return info
	})
	checkArrivals(t, used, "spots", func(s api.Spot) any { return infoSpot([]api.Spot{s}) })
	for at := range limits {
		if !used[at] {
			t.Errorf("%s is in limits, and no answer has such a field", at)
		}
	}
	for _, ways := range leftOut {
		for _, way := range ways {
			if !used[way] {
				t.Errorf("%s is in leftOut, and no answer has such a field", way)
			}
		}
	}
}

// checkArrivals checks the fields of one answer.
func checkArrivals[T any](t *testing.T, used map[string]bool, name string, object func(T) any) {
	t.Helper()
	var whole T
	var all fields
	all.fill(t, reflect.ValueOf(&whole).Elem(), []string{name})
	show := func() []byte {
		raw, err := prose.JSON(object(whole))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return raw
	}
	before := show()
	for _, f := range all {
		reason := f.leftOut(used)
		undo := f.change()
		arrived := !bytes.Equal(before, show())
		undo()
		switch at := strings.Join(f.within, between); {
		case !arrived && reason == "":
			t.Errorf("%s does not arrive, and leftOut does not say why", at)
		case arrived && reason != "":
			t.Errorf("%s arrives, though leftOut has it: %s", at, reason)
		}
	}
	if after := show(); !bytes.Equal(before, after) {
		t.Errorf("%s: to make the answer changes what it is made of", name)
	}
}

// field is a field that holds a value, with the fields that it is within.
type field struct {
	value  reflect.Value
	within []string
	other  any
}

// change gives the field its other value, until undo is called.
func (f field) change() (undo func()) {
	old := reflect.New(f.value.Type()).Elem()
	old.Set(f.value)
	f.value.Set(reflect.ValueOf(f.other).Convert(f.value.Type()))
	return func() { f.value.Set(old) }
}

// between stands between the fields of a way.
const between = " > "

// leftOut returns why answers leave the field out; empty if they do not.
func (f field) leftOut(used map[string]bool) (reason string) {
	for i, at := range f.within {
		used[at] = true
		way := between + strings.Join(f.within[:i+1], between)
		for why, ends := range leftOut {
			for _, end := range ends {
				if strings.HasSuffix(way, between+end) {
					used[end], reason = true, why
				}
			}
		}
	}
	return reason
}

type fields []field

// fill gives each field within v a value of its own, and each list one entry.
func (all *fields) fill(t *testing.T, v reflect.Value, within []string) {
	n := len(*all) + 1
	leaf := func(value, other any) {
		v.Set(reflect.ValueOf(value).Convert(v.Type()))
		*all = append(*all, field{v, within, other})
	}
	switch v.Interface().(type) {
	case time.Time:
		at := time.Date(2001, 1, 1, 0, n, 0, 0, time.UTC)
		leaf(at, at.AddDate(1, 0, 0))
		return
	case time.Duration:
		leaf(time.Duration(n)*time.Second, time.Duration(n+1)*time.Hour)
		return
	case json.Number:
		leaf(fmt.Sprint(n), fmt.Sprint(n+1_000_000))
		return
	case api.Operation:
		leaf(api.AdviseRunThere, api.AdviseDropSlip)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Tag.Get("json") != "-" { // else it is no part of any answer
				all.fill(t, v.Field(i), append(slices.Clip(within), v.Type().Name()+"."+f.Name))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		all.fill(t, v.Elem(), within)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		all.fill(t, v.Index(0), within)
	case reflect.Map:
		leaf(map[string]string{fmt.Sprint("k", n): fmt.Sprint("v", n)}, map[string]string{fmt.Sprint("k", n): fmt.Sprint("w", n)})
	case reflect.String:
		leaf(fmt.Sprint("v", n), fmt.Sprint("w", n))
	case reflect.Bool:
		leaf(true, false)
	case reflect.Int, reflect.Int64:
		leaf(n, n+1_000_000)
	case reflect.Float64:
		leaf(float64(n)+.5, float64(n)+1_000_000)
	default:
		t.Fatalf("%v: a value of type %v cannot be filled yet", within, v.Type())
	}
}
