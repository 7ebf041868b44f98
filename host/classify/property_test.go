package classify_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/internal/property"
)

// happening is one run of a random story: what it was, and the results of each test.
type happening struct {
	did
	tests map[string]string
	// complete reports whether it got to every existing test.
	complete bool
}

// story generates interleaved sessions, runs and reruns of some tests, edits, kills and
// skips. A run killed along with its recorder is missing; one cut short has unfinished
// and never-started tests.
func story(t *rapid.T, tests []string) []happening {
	var list []happening
	session, state := "a", 0
	for range rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 13, 21, 24, 27, 30}).Draw(t, "runs") {
		if rapid.SampledFrom([]bool{false, true, true, false}).Draw(t, "move on") {
			session = rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(t, "session")
		}
		if rapid.Bool().Draw(t, "edit") {
			state = rapid.SampledFrom([]int{0, 1, 2, 1, 2, 3}).Draw(t, "state")
		}
		h := happening{tests: map[string]string{}, did: did{
			session: session, state: fmt.Sprint(state),
			cause: rapid.SampledFrom([]string{"1", "1", "1", "1", "2", "1", "1b", ""}).Draw(t, "cause"),
			env:   rapid.SampledFrom([]string{"e", "e", "e", "f", "e", "-"}).Draw(t, "environment"),
			mixed: rapid.IntRange(0, 9).Draw(t, "mixed") == 7,
			kind:  rapid.SampledFrom([]api.Kind{api.KindRun, api.KindRun, api.KindRerun, api.KindIngest, api.KindTriage}).Draw(t, "kind"),
		}}
		if rapid.IntRange(0, 9).Draw(t, "no state") == 7 {
			h.state = ""
		}
		if rapid.IntRange(0, 9).Draw(t, "killed") == 7 {
			continue
		}
		h.complete = h.kind == api.KindRun && rapid.IntRange(0, 3).Draw(t, "complete") == 3
		whole := rapid.Bool().Draw(t, "whole")
		for _, name := range tests {
			if whole || rapid.Bool().Draw(t, "selected") {
				h.tests[name] = rapid.SampledFrom([]string{"P", "F", "P", "F", "P", "P", "F", "P", "F", "S", "U", "N", "PF", "FP", "FF", "SP"}).Draw(t, name)
			}
		}
		list = append(list, h)
	}
	return list
}

// lineOf returns the timeline of one test of a story.
func lineOf(name string, story []happening) history.Timeline {
	var all []did
	for _, h := range story {
		d := h.did
		d.results = h.tests[name]
		all = append(all, d)
	}
	return timeline(name, all...)
}

// distance counts edits: the states of stories are numbers.
func distance(from, to string) int {
	if from == "3" || to == "3" {
		return -1
	}
	return int(max(from[0], to[0]) - min(from[0], to[0]))
}

func TestStandingsFollowTheOracle(t *testing.T) {
	seen := map[string]int{}
	property.Check(t, func(t *rapid.T) {
		all := story(t, []string{"T"})
		deferred := rapid.Bool().Draw(t, "deferred")
		line := lineOf("T", all)
		for _, session := range []string{"a", "b", "c", "d", "e", "f"} {
			got := classify.Test(classify.Subject{Timeline: line, SessionID: session, Deferred: deferred, Edits: distance})
			want := oracleOf(line, session, deferred)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("session %s of %s: -want +got\n%s", session, told(line), diff)
			}
			note(seen, got)
			if got.Recurring && got.FailedSessions < 3 {
				t.Fatalf("recurring after %d failed sessions", got.FailedSessions)
			}
			if got.SameFailure != nil && got.SameFailure.Run < 2 {
				t.Fatalf("the same failure for the %d. time", got.SameFailure.Run)
			}
		}
	})
	everythingSeen(t, seen, "gap", "passed", "fixed", "regression", "failing", "unresolved", "deferred", "recurring", "flaky", "otherwise", "same", "similar", "last passed")
}

func TestAFileFollowsTheOracle(t *testing.T) {
	seen := map[string]int{}
	property.Check(t, func(t *rapid.T) {
		names := []string{"A", "B", "C"}
		all := story(t, names)
		deferred := rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "deferred")
		for i, h := range all {
			if h.kind == api.KindTriage || len(h.tests) == 0 {
				continue
			}
			s := fileSubject(names, all[:i+1], deferred)
			got, want := classify.File(s), fileOracle(s)
			if diff := gocmp.Diff(want, got); diff != "" {
				var lines string
				for _, l := range s.Suspects {
					lines += told(l) + "\n"
				}
				t.Fatalf("after run %d in session %s, %+v: -want +got\n%s%s", i+1, h.session, s.Count, diff, lines)
			}
			note(seen, got)
		}
	})
	everythingSeen(t, seen, "gap", "passed", "fixed", "regression", "failing", "flaky", "unresolved", "deferred", "recurring")
}

// fileSubject is what a caller knows about a file after the last run of a story.
func fileSubject(names []string, all []happening, deferred []string) classify.FileSubject {
	last := all[len(all)-1]
	s := classify.FileSubject{SessionID: last.session, Order: int64(len(all)), Deferred: func(k history.TestKey) bool { return slices.Contains(deferred, k.Test) }}
	for i, h := range all {
		if h.complete {
			env := strings.Trim(cmp.Or(h.env, "e"), "-")
			s.Complete = append(s.Complete, classify.CompleteRun{Order: int64(i + 1), SessionID: h.session, Setting: env})
		}
	}
	for _, name := range names {
		line := lineOf(name, all)
		if results := last.tests[name]; results != "" {
			switch worst(results) {
			case 'F':
				s.Count.Bad++
			case 'P':
				s.Count.Passed++
			default:
				s.Count.Skipped++
			}
			if line.FirstSession == last.session || line.FirstSession == "" {
				s.Count.New++
			}
		}
		if slices.ContainsFunc(line.Points, func(p history.Point) bool { return p.Outcome.Bad() && p.RunKind != api.KindTriage }) {
			s.Suspects = append(s.Suspects, line)
		}
	}
	return s
}

func note(seen map[string]int, s api.Standing) {
	mark := func(what string, ok bool) {
		if ok {
			seen[what]++
		}
	}
	seen[string(s.Classification)]++
	seen[string(s.Resolution)]++
	mark("recurring", s.Recurring)
	mark("flaky", s.Flaky != nil)
	mark("otherwise", s.Otherwise != nil)
	mark("same", s.SameFailure != nil)
	mark("similar", s.SimilarFailure != nil)
	mark("last passed", s.LastPassed != nil)
}

// everythingSeen fails if a property never met one of its cases: it has not tested it.
func everythingSeen(t *testing.T, seen map[string]int, cases ...string) {
	t.Helper()
	if testing.Short() {
		return // too few stories
	}
	for _, c := range cases {
		if seen[c] == 0 {
			t.Errorf("no story had %q: %v", c, seen)
		}
	}
}

func TestWhatOtherTestsDidChangesNothing(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		all := story(t, []string{"A", "B"})
		before := lineOf("A", all)
		var others []string
		for _, h := range all {
			others = append(others, h.tests["B"])
		}
		for i, results := range rapid.Permutation(others).Draw(t, "others") {
			all[i].tests["B"] = results
		}
		if diff := gocmp.Diff(classify.Test(classify.Subject{Timeline: before, SessionID: "a"}), classify.Test(classify.Subject{Timeline: lineOf("A", all), SessionID: "a"})); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAResultOnAnotherStateIsNoEvidenceOfFlakiness(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		all := story(t, []string{"T"})
		before := classify.Flaky(lineOf("T", all).Points)
		other := happening{did: did{session: "a", state: "new", env: "e", cause: "1"}, tests: map[string]string{"T": rapid.SampledFrom([]string{"P", "F", "U", "S"}).Draw(t, "result")}}
		where := rapid.IntRange(0, len(all)).Draw(t, "where")
		after := classify.Flaky(lineOf("T", slices.Insert(slices.Clone(all), where, other)).Points)
		if (before == nil) != (after == nil) {
			t.Fatalf("%+v became %+v", before, after)
		}
	})
}

func TestMoreRunsNeverRemoveEvidenceOfFlakiness(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		line := lineOf("T", story(t, []string{"T"}))
		flaky := false
		for i := range line.Points {
			if i+1 < len(line.Points) && line.Points[i+1].RunID == line.Points[i].RunID {
				continue // only a whole run shows that
			}
			now := classify.Flaky(line.Points[:i+1]) != nil
			if flaky && !now {
				t.Fatalf("point %d took it away", i)
			}
			flaky = now
		}
	})
}
