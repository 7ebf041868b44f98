package classify_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
)

// file is a file of two tests that were ever bad. A line is what they did, run by run:
// in "a:P/F", session a, the first passed and the second failed; "." did not run.
func file(line string, count history.FileCount) classify.FileSubject {
	var first, second []did
	session := ""
	for word := range strings.FieldsSeq(line) {
		session = word[:1]
		a, b, _ := strings.Cut(word[2:], "/")
		first = append(first, did{session: session, results: strings.Trim(a, ".")})
		second = append(second, did{session: session, results: strings.Trim(b, ".")})
	}
	if strings.HasSuffix(line, " ") {
		session = "z"
	}
	return classify.FileSubject{Count: count, Suspects: []history.Timeline{timeline("A", first...), timeline("B", second...)}, SessionID: session}
}

func TestAFileIsBadWhileAnyOfItsTestsIs(t *testing.T) {
	for _, c := range []struct {
		line      string
		class     api.Classification
		status    api.EntryStatus
		failed    int
		recurring bool
	}{
		{"a:P/P", api.Gap, api.StatusPassed, 0, false},
		{"a:F/P", api.Gap, api.StatusUnresolved, 1, false},
		{"a:F/P a:P/.", api.Fixed, api.StatusFixed, 0, false},
		{"a:F/F a:P/.", api.Gap, api.StatusUnresolved, 1, false}, // never passed as a whole
		{"a:F/F a:P/. a:./P", api.Fixed, api.StatusFixed, 0, false},
		{"a:P/P a:F/.", api.Regression, api.StatusUnresolved, 1, false},
		{"a:P/P b:P/F", api.Regression, api.StatusUnresolved, 1, false},
		{"a:P/F b:P/.", api.Failing, api.StatusUnresolved, 1, false}, // the session ran no bad one
		{"a:P/F b:P/. c:./P", api.Fixed, api.StatusFixed, 1, false},
		{"a:F/P b:F/P c:F/P d:./P e:./P f:./P", api.Failing, api.StatusUnresolved, 3, true},
		{"a:P/P b:F/P a:./P", api.Failing, api.StatusUnresolved, 1, false},
		{"a:P/F b:./P a:P/.", api.Fixed, api.StatusFixed, 0, false},
		{"a:P/F b:F/P", api.Failing, api.StatusUnresolved, 2, false},
		{"a:P/F b:P/P", api.Fixed, api.StatusFixed, 1, false},
		{"a:P/F b:P/P c:P/P", api.Steady, api.StatusPassed, 1, false},
		{"a:F/P b:P/F c:F/F", api.Failing, api.StatusUnresolved, 3, true},
		{"a:F/P b:P/F c:F/F d:P/P e:P/P f:P/P", api.Steady, api.StatusPassed, 3, false},
		{"a:P/S b:S/F", api.Regression, api.StatusUnresolved, 1, false},
		{"a:P/P b:S/S", "", "", 0, false},
		// Results of another session in between count as before.
		{"a:P/P b:P/F a:P/P", api.Fixed, api.StatusFixed, 1, false},
		{"a:P/P b:P/P a:P/F", api.Regression, api.StatusUnresolved, 1, false},
		{"a:F/P b:P/F a:F/P", api.Failing, api.StatusUnresolved, 2, false},
		{"a:F/P b:P/P a:F/P", api.Regression, api.StatusUnresolved, 1, false},
	} {
		got := classify.File(file(c.line, history.FileCount{}))
		want := api.Standing{Classification: c.class, Resolution: c.status, FailedSessions: c.failed, Recurring: c.recurring}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got\n%s", c.line, diff)
		}
	}
}

func TestCountsStandForTestsThatWereNeverBad(t *testing.T) {
	for name, c := range map[string]struct {
		count  history.FileCount
		known  bool
		class  api.Classification
		status api.EntryStatus
	}{
		"all new":                  {history.FileCount{Passed: 2, New: 2}, false, api.Gap, api.StatusPassed},
		"one is not new":           {history.FileCount{Passed: 2, New: 1}, false, api.Steady, api.StatusPassed},
		"all new in a known file":  {history.FileCount{Passed: 2, New: 2}, true, api.Steady, api.StatusPassed},
		"nothing proved":           {history.FileCount{Skipped: 2, Else: 1}, true, "", ""},
		"bad, and nobody knows it": {history.FileCount{Bad: 1, New: 1}, false, api.Gap, api.StatusUnresolved},
		"bad in a known file":      {history.FileCount{Passed: 3, Bad: 1, New: 1}, false, api.Regression, api.StatusUnresolved},
		"skipped ones are known":   {history.FileCount{Passed: 1, Skipped: 1, New: 1}, false, api.Steady, api.StatusPassed},
		"never started ones too":   {history.FileCount{Passed: 1, Else: 1, New: 1}, false, api.Steady, api.StatusPassed},
	} {
		got := classify.File(classify.FileSubject{Count: c.count, Known: c.known, SessionID: "z"})
		if got.Classification != c.class || got.Resolution != c.status {
			t.Errorf("%s: %q, %q; want %q, %q", name, got.Classification, got.Resolution, c.class, c.status)
		}
	}
}

func TestANewTestThatFailsInAPassingFileIsARegressionOfTheFile(t *testing.T) {
	s := file("z:./F", history.FileCount{Passed: 4, Bad: 1, New: 1})
	if got := classify.File(s); got.Classification != api.Regression || got.FailedSessions != 1 {
		t.Errorf("%+v", got)
	}
}

func TestASessionThatRanNoSuspectLeavesTheFileAsItWas(t *testing.T) {
	got := classify.File(file("a:F/F b:F/F c:F/F ", history.FileCount{Passed: 3}))
	want := api.Standing{Classification: api.Failing, Resolution: api.StatusUnresolved, FailedSessions: 3, Recurring: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestATestThatNoLongerExistsIsNotBad(t *testing.T) {
	deleted := file("a:P/F b:P/.", history.FileCount{})
	for name, c := range map[string]struct {
		complete classify.CompleteRun
		want     api.Classification
		failed   int
	}{
		"a complete run has not got it":    {classify.CompleteRun{Order: 2, SessionID: "b", Setting: "e"}, api.Fixed, 0},
		"one with other arguments has not": {classify.CompleteRun{Order: 2, SessionID: "b", Setting: "f"}, api.Failing, 1},
		"one before had it":                {classify.CompleteRun{Order: 1, SessionID: "a", Setting: "e"}, api.Failing, 1},
	} {
		deleted.Complete = []classify.CompleteRun{c.complete}
		if got := classify.File(deleted); got.Classification != c.want || got.FailedSessions != c.failed {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// It was still bad when the next one came: not a regression.
	renamed := file("a:F/. b:./F", history.FileCount{})
	renamed.Complete = []classify.CompleteRun{{Order: 2, SessionID: "b", Setting: "e"}}
	if got := classify.File(renamed); got.Classification != api.Failing {
		t.Errorf("renamed: %+v", got)
	}
}

func TestAFlakyTestMakesNoRegressionOfItsFile(t *testing.T) {
	one := func(letters ...string) history.Timeline {
		var all []did
		for _, l := range letters {
			all = append(all, did{session: l[:1], results: l[2:], state: "1"})
		}
		return timeline("A", all...)
	}
	for want, lines := range map[api.Classification][]history.Timeline{
		api.Unsteady:   {one("a:P", "z:F")},
		api.Regression: {one("a:P", "z:F"), timeline("B", did{session: "a", results: "P", state: "1"}, did{session: "z", results: "F", state: "2"})},
	} {
		if got := classify.File(classify.FileSubject{Suspects: lines, SessionID: "z"}); got.Classification != want || got.Resolution != api.StatusUnresolved {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	got := classify.File(classify.FileSubject{Suspects: []history.Timeline{one("a:F", "z:P")}, SessionID: "z"})
	if got.Classification != api.Unsteady || got.Resolution != api.StatusPassed {
		t.Errorf("a pass on the same sources: %+v", got)
	}
}

func TestAFileIsSetAsideOnceAllItsFailuresAre(t *testing.T) {
	deferred := func(names ...string) func(history.TestKey) bool {
		return func(k history.TestKey) bool { return strings.Contains(strings.Join(names, " "), k.Test) }
	}
	for name, c := range map[string]struct {
		line   string
		count  history.FileCount
		aside  func(history.TestKey) bool
		status api.EntryStatus
	}{
		"the bad one":           {"a:P/F", history.FileCount{Bad: 1}, deferred("B"), api.StatusDeferred},
		"the good one":          {"a:P/F", history.FileCount{Bad: 1}, deferred("A"), api.StatusUnresolved},
		"one of two":            {"a:F/F", history.FileCount{Bad: 2}, deferred("A"), api.StatusUnresolved},
		"both":                  {"a:F/F", history.FileCount{Bad: 2}, deferred("A", "B"), api.StatusDeferred},
		"all that is known":     {"a:F/F", history.FileCount{Bad: 3}, deferred("A", "B"), api.StatusUnresolved},
		"nobody asked":          {"a:P/F", history.FileCount{Bad: 1}, nil, api.StatusUnresolved},
		"one that passes again": {"a:P/F a:P/P", history.FileCount{Passed: 2}, deferred("B"), api.StatusFixed},
	} {
		s := file(c.line, c.count)
		s.Deferred = c.aside
		if got := classify.File(s).Resolution; got != c.status {
			t.Errorf("%s: %q, want %q", name, got, c.status)
		}
	}
}

func TestAPartIsSetAsideWithItsTestAndATestWithItsParts(t *testing.T) {
	part := timeline("T/part", did{session: "a", results: "F"})
	part.Root = "T"
	whole := timeline("T", did{session: "a", results: "F", derived: true})
	for _, name := range []string{"T", "T/part"} {
		s := classify.FileSubject{
			SessionID: "a", Suspects: []history.Timeline{part, whole}, Count: history.FileCount{Bad: 2, New: 2},
			Deferred: func(k history.TestKey) bool { return k.Test == name },
		}
		if got := classify.File(s).Resolution; got != api.StatusDeferred {
			t.Errorf("%s set aside: the file is %q", name, got)
		}
	}
	own := timeline("T", did{session: "a", results: "F", derived: true}, did{session: "a", results: "F"})
	s := classify.FileSubject{SessionID: "a", Suspects: []history.Timeline{part, own}, Deferred: func(k history.TestKey) bool { return k.Test == "T/part" }}
	if got := classify.File(s).Resolution; got != api.StatusUnresolved {
		t.Errorf("the test fails on its own account too: the file is %q", got)
	}
}
