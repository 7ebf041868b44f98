package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

func TestAPageGoesOnWhereTheOneBeforeEnded(t *testing.T) {
	run := record.Run{Language: "go", FailuresTotal: 9, Failures: []record.Failure{{Suite: "s", Test: "A", Message: "m"}, {Suite: "s", Test: "B"}}}
	want := "9 test failure(s) from run k3f9 (go, 3s ago):\n\n5. s/A\n   m\n\n6. s/B\n\n(3 more entries truncated; offset 6 shows the next)\n"
	if got := report.Listing(run, 3*time.Second, report.Page{From: 4, Of: "run k3f9", Rest: "offset 6 shows the next"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	run.Failures = nil
	if got := report.Listing(run, 0, report.Page{From: 12}); strings.Contains(got, "more entries") {
		t.Errorf("beyond the last: %q", got)
	}
}

func TestAFrontSaysInItsOwnWordsHowToSeeMore(t *testing.T) {
	mine := report.Style{More: "ask me"}
	diff := record.RunDiff{Counts: record.DiffCounts{Fixed: 2, Slower: 2, More: 2}}
	why := record.Why{Latest: &record.Sighting{}, FirstFailure: &record.Sighting{}, SuspectsTotal: 2}
	triage := record.Triage{Introduced: 3, Tests: []record.Triaged{{Suite: "s", Finding: record.Introduced}}}
	timeline := record.History{Tests: []record.TestHistory{{Suite: "s"}}, Timeline: []record.TimelinePoint{{}}, TimelineCut: true}
	for what, of := range map[string]func(report.Style) string{
		"diff":     func(s report.Style) string { return report.Diff(diff, s) },
		"why":      func(s report.Style) string { return report.Why(why, s) },
		"triage":   func(s report.Style) string { return report.Triage(triage, s) },
		"list":     func(s report.Style) string { return report.History(record.History{TestsTotal: 2}, s) },
		"timeline": func(s report.Style) string { return report.History(timeline, s) },
	} {
		theirs, ours := of(report.Style{}), of(mine)
		if !strings.Contains(theirs, "--") || strings.Contains(theirs, "ask me") {
			t.Errorf("%s, on the command line: %q", what, theirs)
		}
		if !strings.Contains(ours, "; ask me") || strings.Contains(ours, "--") {
			t.Errorf("%s, elsewhere: %q", what, ours)
		}
	}
	if got := report.Triage(triage, mine); !strings.Contains(got, "3 failing tests") || !strings.Contains(got, "(2 more; ask me)") {
		t.Errorf("a shortened triage: %q", got)
	}
}
