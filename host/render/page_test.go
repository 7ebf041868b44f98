package render_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

func TestAPageContinuesWhereTheLastEnded(t *testing.T) {
	run := api.Run{Language: "go", FailuresTotal: 9, Failures: []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "A"}, Message: "m"}}, {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "B"}}}}}
	want := "9 test failure(s) from run k3f9 (go, 3s ago):\n\n5. s/A\n   m\n\n6. s/B\n\n(3 more entries truncated; offset 6 shows the next)\n"
	if got := render.Listing(run, 3*time.Second, render.Page{From: 4, Of: "run k3f9", Rest: "offset 6 shows the next"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	run.Failures = nil
	if got := render.Listing(run, 0, render.Page{From: 12}); strings.Contains(got, "more entries") {
		t.Errorf("beyond the last: %q", got)
	}
}

func TestAFrontSaysInItsOwnWordsHowToSeeMore(t *testing.T) {
	mine := render.Style{More: "ask me"}
	diff := api.RunDiff{Counts: api.DiffCounts{Fixed: 2, Slower: 2, More: 2}}
	why := api.Why{Latest: &api.Sighting{}, FirstFailure: &api.Sighting{}, SuspectsTotal: 2}
	triage := api.Triage{Introduced: 3, Tests: []api.Triaged{{Suite: "s", Finding: api.Introduced}}}
	timeline := api.History{Tests: []api.TestHistory{{Suite: "s"}}, Timeline: []api.TimelinePoint{{}}, TimelineCut: true}
	for what, of := range map[string]func(render.Style) string{
		"diff":     func(s render.Style) string { return render.Diff(diff, s) },
		"why":      func(s render.Style) string { return render.Why(why, s) },
		"triage":   func(s render.Style) string { return render.Triage(triage, s) },
		"list":     func(s render.Style) string { return render.History(api.History{TestsTotal: 2}, s) },
		"timeline": func(s render.Style) string { return render.History(timeline, s) },
	} {
		theirs, ours := of(render.Style{}), of(mine)
		if !strings.Contains(theirs, "--") || strings.Contains(theirs, "ask me") {
			t.Errorf("%s, on the command line: %q", what, theirs)
		}
		if !strings.Contains(ours, "; ask me") || strings.Contains(ours, "--") {
			t.Errorf("%s, elsewhere: %q", what, ours)
		}
	}
	if got := render.Triage(triage, mine); !strings.Contains(got, "3 failing tests") || !strings.Contains(got, "(2 more; ask me)") {
		t.Errorf("a shortened triage: %q", got)
	}
}
