package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Score counts the records of one or more cases.
type Score struct {
	Expected, Found, Places, Kinds, Messages, Details, Extra int
}

// Add sums two scores.
func (s *Score) Add(o Score) {
	s.Expected += o.Expected
	s.Found += o.Found
	s.Places += o.Places
	s.Kinds += o.Kinds
	s.Messages += o.Messages
	s.Details += o.Details
	s.Extra += o.Extra
}

// String is the line to compare parsers by.
func (s Score) String() string {
	return fmt.Sprintf("records %d/%d found, places %d, kinds %d, messages %d, details %d, extra %d",
		s.Found, s.Expected, s.Places, s.Kinds, s.Messages, s.Details, s.Extra)
}

// Judge compares what a parser reported with what was wanted. Each problem is
// one sentence.
func Judge(want Want, got *Observed) (Score, []string) {
	j := judgement{want: want, got: got}
	j.failures()
	j.unfinished()
	j.suites()
	j.counts()
	j.texts()
	j.colour()
	return j.score, j.problems
}

type judgement struct {
	want     Want
	got      *Observed
	score    Score
	problems []string
}

func (j *judgement) problem(format string, args ...any) {
	j.problems = append(j.problems, fmt.Sprintf(format, args...))
}

func (j *judgement) failures() {
	taken := make([]bool, len(j.got.Failures))
	// Records that must be there choose first.
	for _, optional := range []bool{false, true} {
		for _, w := range j.want.Failures {
			if w.Optional == optional {
				j.failure(w, taken)
			}
		}
	}
	for i, f := range j.got.Failures {
		if !taken[i] {
			j.score.Extra++
			j.problem("extra record: %s", describe(f))
		}
	}
}

func (j *judgement) failure(w WantFailure, taken []bool) {
	if !w.Optional {
		j.score.Expected++
	}
	best, bestScore := -1, -1
	for i, f := range j.got.Failures {
		if taken[i] || !w.names(f.TestID) {
			continue
		}
		if n := w.likeness(f); n > bestScore {
			best, bestScore = i, n
		}
	}
	if best < 0 {
		if !w.Optional {
			j.problem("missing record: %s", w.describe())
		}
		return
	}
	taken[best] = true
	for n, i := 1, best+1; n < w.Repeat && i < len(taken); i++ {
		if f := j.got.Failures[i]; !taken[i] && w.names(f.TestID) && w.likeness(f) == bestScore {
			taken[i] = true
			n++
		}
	}
	f := j.got.Failures[best]
	if !w.Optional {
		j.score.Found++
		j.score.Places += one(w.place(f.Location))
		j.score.Kinds += one(w.kind(f.Kind))
		j.score.Messages += one(w.message(f.Message))
	}
	problems := w.differences(f)
	if !w.Optional {
		j.score.Details += one(len(problems) == 0)
	}
	for _, p := range problems {
		j.problem("%s: %s", w.title(), p)
	}
}

// unfinished checks the unfinished tests, except those that enclose a named
// test: if a subtest ended the process, they may be unfinished or failed.
func (j *judgement) unfinished() {
	var ignored, want, got []WantTest
	ignored = append(ignored, j.want.MayBeUnfinished...)
	for _, f := range j.want.Failures {
		ignored = append(ignored, ancestors(f.Suite, f.Test)...)
		if f.Optional {
			ignored = append(ignored, WantTest{f.Suite, f.Test})
		}
	}
	for _, t := range j.want.Unfinished {
		ignored = append(ignored, ancestors(t.Suite, t.Test)...)
	}
	for _, t := range j.want.Unfinished {
		if !slices.Contains(ancestorsOf(j.want.Unfinished), t) {
			want = append(want, t)
		}
	}
	for _, r := range j.got.Tests {
		if r.Status == sdk.Unfinished {
			got = append(got, WantTest{r.Suite, r.Test})
		}
	}
	for _, t := range want {
		if !slices.Contains(got, t) {
			j.problem("not reported as unfinished: %s %s", t.Suite, t.Test)
		}
	}
	for _, t := range got {
		if !slices.Contains(want, t) && !slices.Contains(ignored, t) {
			j.problem("reported as unfinished, but it is not: %s %s", t.Suite, t.Test)
		}
	}
}

func (j *judgement) suites() {
	got := map[string][]string{}
	for _, s := range j.got.Suites {
		got[s.Suite] = append(got[s.Suite], outcomeName(s.Outcome))
	}
	for suite, outcomes := range got {
		if len(outcomes) > 1 {
			j.problem("suite %q ended %d times: %v", suite, len(outcomes), outcomes)
		}
	}
	for suite, want := range j.want.Suites {
		if o := got[suite]; len(o) == 0 {
			j.problem("suite %q has no outcome, want %s", suite, want)
		} else if o[0] != want {
			j.problem("suite %q is %s, want %s", suite, o[0], want)
		}
	}
	var cached []string
	for _, s := range j.got.Suites {
		if s.Cached {
			cached = append(cached, s.Suite)
		}
	}
	if slices.Sort(cached); !slices.Equal(cached, j.want.Cached) {
		j.problem("suites %q are from the cache, want %q", cached, j.want.Cached)
	}
}

func (j *judgement) counts() {
	if j.want.Counts == nil {
		return
	}
	got := map[string]int{}
	for _, r := range j.got.Tests {
		got[string(r.Status)]++
	}
	for status, n := range j.want.Counts {
		if got[status] != n {
			j.problem("%d tests %s, want %d", got[status], status, n)
		}
	}
	for status, n := range got {
		if _, ok := j.want.Counts[status]; !ok {
			j.problem("%d tests %s, want none", n, status)
		}
	}
}

func (j *judgement) texts() {
	if w := j.want.RunError; w != "" && !containsAny(j.got.RunErrors, w) {
		j.problem("no run error holds %q: %q", w, j.got.RunErrors)
	}
	if w := j.want.Note; w != "" && !containsAny(j.got.Notes, w) {
		j.problem("no note holds %q: %q", w, j.got.Notes)
	}
	unread := ""
	for _, u := range j.got.Unreads {
		if u.Damaged {
			unread = "damaged"
		} else if unread == "" {
			unread = "foreign"
		}
	}
	if j.want.Unread != "any" && unread != j.want.Unread {
		j.problem("unread output is %q, want %q", unread, j.want.Unread)
	}
}

// colour checks that no red is hidden and no green is invented.
func (j *judgement) colour() {
	var signs []string
	for _, r := range j.got.Tests {
		if r.Status == sdk.Unfinished || r.Status == sdk.Failed {
			signs = append(signs, fmt.Sprintf("%s %s %s", r.Suite, r.Test, string(r.Status)))
		}
		partly := slices.Contains(j.want.PartlyRun, WantTest{r.Suite, r.Test})
		if partly && (r.Status != sdk.Failed || r.Ended) {
			j.problem("%s %s did not run as a whole, but is reported as if it had", r.Suite, r.Test)
		}
		if r.Status == sdk.Failed && !r.Derived && !partly && !j.explained(r.TestID) {
			j.problem("%s %s failed and no record says why", r.Suite, r.Test)
		}
	}
	for _, s := range j.got.Suites {
		if s.Outcome != sdk.SuitePassed && s.Outcome != sdk.SuiteNoTests {
			signs = append(signs, "suite "+s.Suite+" "+outcomeName(s.Outcome))
		}
	}
	for _, u := range j.got.Unreads {
		if u.Damaged {
			signs = append(signs, "damage")
		}
	}
	for _, e := range j.got.RunErrors {
		signs = append(signs, "run error "+e)
	}
	if j.want.Red && !j.want.HostDecides && len(signs) == 0 && len(j.got.Failures) == 0 {
		j.problem("a red run shows no sign of it")
	}
	if !j.want.Red && len(signs) > 0 && j.want.Unread != "damaged" {
		j.problem("a run that is not red has signs of it: %q", signs)
	}
}

func (j *judgement) explained(id sdk.TestID) bool {
	return slices.ContainsFunc(j.got.Failures, func(f sdk.Failure) bool {
		return f.TestID == id || slices.Contains(f.DerivedFrom, id)
	})
}

func ancestorsOf(tests []WantTest) []WantTest {
	var all []WantTest
	for _, t := range tests {
		all = append(all, ancestors(t.Suite, t.Test)...)
	}
	return all
}

func ancestors(suite, test string) []WantTest {
	var all []WantTest
	for i, r := range test {
		if r == '/' {
			all = append(all, WantTest{suite, test[:i]})
		}
	}
	return all
}

func containsAny(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(flat(s), flat(part)) })
}

func one(ok bool) int {
	if ok {
		return 1
	}
	return 0
}
