package classify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// cause is why a test fails: what it then prints, with placeholders for what differs
// from run to run. Causes of one shape print similar messages in one place.
type cause struct {
	kind, file, message, shape string
}

var causes = []cause{
	{"assertion", "a_test.x", "dial unix %s: connect: connection refused", "dial"},
	{"assertion", "a_test.x", "dial unix %s: no such file or directory", "no file"},
	{"assertion", "b_test.x", "dial unix %s: connect: connection refused", "dial in b"},
	{"assertion", "a_test.x", "worker %s sent 3 items, want 4", "items"},
	{"assertion", "a_test.x", "worker %s sent 5 items, want 4", "items"},
	{"assertion", "a_test.x", "got status 404, want 200 (request %s)", "status"},
	{"assertion", "a_test.x", "got status 500, want 200 (request %s)", "status"},
	{"panic", "a.x", "out of cheese (%s)\n\ngoroutine 7 [running]:", "cheese"},
	{"assertion", "a.x", "out of cheese (%s)\n\ngoroutine 7 [running]:", "no panic"},
	{"timeout", "a_test.x", "test timed out after 1s, waiting for %s", "timeout"},
}

// A test fails with new identifiers in its message each time, and now and then passes
// or fails differently. The story knows which failures were the same and which were
// new.
func TestTheStoriesOfAFailingTestAreReportedFaithfully(t *testing.T) {
	f := fuzzing(t)
	sure := slices.DeleteFunc(slices.Clone(families), func(f family) bool { return f.certain < 100 })
	for r := range f.cases(3000) {
		known := families
		exact := r.IntN(2) == 0
		if exact {
			known = sure
		}
		var line history.Timeline
		var story []string
		same, alike, failed, conclusive, passed := 0, 0, 0, 0, false
		now, last := r.IntN(len(causes)), -1
		kin := known[r.IntN(len(known))]
		session := 0
		for n := range 1 + r.IntN(20) {
			if r.IntN(5) == 0 {
				now = r.IntN(len(causes)) // the cause changes
			}
			if r.IntN(6) == 0 {
				session++
			}
			p := history.Point{
				RunID: fmt.Sprintf("run%02d", n), SessionID: fmt.Sprint("s", session), RunKind: api.KindRun,
				At: time.Unix(int64(n)*3600, 0), Order: int64(n + 1), Fingerprint: fmt.Sprint("state", n), Environment: "e",
			}
			if n > 0 && r.IntN(10) == 0 {
				p.Outcome = history.Skipped
			} else if r.IntN(10) == 0 {
				p.Outcome = history.Passed
				passed, conclusive, same, alike, failed, last = true, conclusive+1, 0, 0, 0, -1
			} else {
				c := causes[now]
				fail := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: c.kind, Location: sdk.Location{File: c.file}, Message: strings.ReplaceAll(c.message, "%s", kin.draw(r))}}
				first, _, _ := strings.Cut(fail.Message, "\n")
				p.Outcome, p.Kind, p.Excerpt, p.Signature = history.Failed, c.kind, first, classify.Signature(fail)
				if last != now {
					same = 0
				}
				if last < 0 || causes[last].shape != c.shape {
					alike = 0
				}
				same, alike, failed, conclusive, last = same+1, alike+1, failed+1, conclusive+1, now
			}
			story = append(story, fmt.Sprintf("%s %s %d %q", p.SessionID, p.RunID, p.Outcome, p.Excerpt))
			line.Points = append(line.Points, p)
			if p.Outcome == history.Skipped {
				continue
			}
			line.FirstSession = "s0"
			got := classify.Test(classify.Subject{Timeline: line, SessionID: p.SessionID, Edits: func(string, string) int { return 1 }})
			told := kin.name + "\n" + strings.Join(story, "\n")
			if got.FailedRuns != failed {
				f.Fatalf("failed in %d runs, want %d\n%s", got.FailedRuns, failed, told)
			}
			if p.Outcome == history.Passed {
				continue
			}
			sameRuns, alikeRuns := runsOf(got.SameFailure), runsOf(got.SimilarFailure)
			if exact && sameRuns != max(same, 1) {
				f.Fatalf("the same failure in %d runs, want %d\n%s", sameRuns, same, told)
			}
			if exact && max(alikeRuns, sameRuns) != max(alike, 1) || max(alikeRuns, sameRuns) > alike || sameRuns > same {
				f.Fatalf("the same failure in %d runs, similar in %d, want %d and %d\n%s", sameRuns, alikeRuns, same, alike, told)
			}
			text := render.Standing(&got)
			if text == "first failure on record" && conclusive > 1 {
				f.Fatalf("%q after %d results\n%s", text, conclusive, told)
			}
			if strings.Contains(text, "no pass") && passed {
				f.Fatalf("%q, although it passed\n%s", text, told)
			}
			if got.Classification == api.Gap && conclusive == 1 && text != "first failure on record" {
				f.Fatalf("%q of a first failure\n%s", text, told)
			}
		}
	}
}

func runsOf(same *api.SameFailure) int {
	if same == nil {
		return 1
	}
	return same.Run
}
