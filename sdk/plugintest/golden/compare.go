package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Compare compares a report with w and describes every difference.
func (w Want) Compare(e *Events) []string {
	var found []string
	found = append(found, w.Counts.compare(Observed(e).Counts)...)
	if w.Tests != nil {
		found = append(found, compareLists("test", w.Tests, Observed(e).Tests, WantTest.differs, WantTest.String)...)
	}
	if w.Suites != nil {
		found = append(found, compareLists("suite", w.Suites, Observed(e).Suites, WantSuite.differs, WantSuite.String)...)
	}
	if w.Failures != nil {
		var got []WantFailure
		for _, f := range e.Failures {
			got = append(got, observedWithDiff(f))
		}
		found = append(found, compareLists("failure", w.Failures, got, WantFailure.differs, WantFailure.String)...)
	}
	if w.RunErrors != nil && !sameStrings(w.RunErrors, e.RunErrors) {
		found = append(found, fmt.Sprintf("run_errors are %q, want %q", e.RunErrors, w.RunErrors))
	}
	if w.Notes != nil && !sameStrings(w.Notes, e.Notes) {
		found = append(found, fmt.Sprintf("notes are %q, want %q", e.Notes, w.Notes))
	}
	if w.Damaged != nil && *w.Damaged != e.Damaged() {
		found = append(found, fmt.Sprintf("damaged is %t, want %t", e.Damaged(), *w.Damaged))
	}
	return found
}

// Empty reports whether w expects nothing.
func (w Want) Empty() bool {
	return (w.Counts == nil || *w.Counts == Counts{}) && w.Tests == nil && w.Suites == nil && w.Failures == nil &&
		w.RunErrors == nil && w.Notes == nil && w.Damaged == nil && w.Listed == nil
}

// Pretended returns the ids of w.Absent that were reported after all.
func (w Want) Pretended(e *Events) []WantID {
	var found []WantID
	for _, id := range w.Absent {
		is := func(other sdk.TestID) bool { return wantID(other) == id }
		if slices.ContainsFunc(e.Tests, func(t sdk.TestResult) bool { return is(t.TestID) }) ||
			slices.ContainsFunc(e.Failures, func(f sdk.Failure) bool { return is(f.TestID) }) {
			found = append(found, id)
		}
	}
	return found
}

// CompareListing compares a listing with w.
func (w Want) CompareListing(l *Listing) []string {
	if w.Listed == nil {
		return nil
	}
	same := func(want, got WantListed) string {
		if !sameStrings(want.Tests, got.Tests) {
			return fmt.Sprintf("tests are %q, want %q", got.Tests, want.Tests)
		}
		return ""
	}
	return compareLists("listed suite", w.Listed, ObservedListing(l).Listed, same, func(s WantListed) string { return s.Suite })
}

func (c *Counts) compare(got *Counts) []string {
	if c == nil {
		return nil
	}
	var found []string
	for _, n := range []struct {
		name      string
		want, got *int
	}{
		{"passed", c.Passed, got.Passed}, {"failed", c.Failed, got.Failed}, {"skipped", c.Skipped, got.Skipped},
		{"unfinished", c.Unfinished, got.Unfinished}, {"failures", c.Failures, got.Failures}, {"run_errors", c.RunErrors, got.RunErrors},
	} {
		if n.want != nil && *n.want != *n.got {
			found = append(found, fmt.Sprintf("counts.%s is %d, want %d", n.name, *n.got, *n.want))
		}
	}
	return found
}

// compareLists pairs two lists by name and describes what differs or is left over.
func compareLists[T any](kind string, want, got []T, differs func(want, got T) string, name func(T) string) []string {
	var found []string
	left := slices.Clone(got)
	for _, w := range want {
		// The best match is one without a difference, because names may repeat.
		i := slices.IndexFunc(left, func(g T) bool { return name(g) == name(w) && differs(w, g) == "" })
		if i < 0 {
			i = slices.IndexFunc(left, func(g T) bool { return name(g) == name(w) })
		}
		if i < 0 {
			found = append(found, fmt.Sprintf("%s %q was not reported", kind, name(w)))
			continue
		}
		if d := differs(w, left[i]); d != "" {
			found = append(found, fmt.Sprintf("%s %q: %s", kind, name(w), d))
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, g := range left {
		found = append(found, fmt.Sprintf("%s %q was reported but not expected", kind, name(g)))
	}
	return found
}

func (t WantID) String() string { return strings.TrimSpace(t.Suite + " " + t.Name) }

func (t WantTest) String() string  { return t.WantID.String() }
func (s WantSuite) String() string { return s.Suite }

func (f WantFailure) String() string { return f.WantID.String() }

func (t WantTest) differs(got WantTest) string {
	return strings.Join(slices.Concat(
		compareField("status", &t.Status, &got.Status), compareField("file", t.File, got.File), compareField("line", t.Line, got.Line),
		compareField("derived", t.Derived, got.Derived), compareField("ended", t.Ended, got.Ended), compareField("container", t.Container, got.Container), compareField("fixture", t.Fixture, got.Fixture),
	), ", ")
}

func (s WantSuite) differs(got WantSuite) string {
	return strings.Join(slices.Concat(compareField("outcome", &s.Outcome, &got.Outcome), compareField("cached", s.Cached, got.Cached)), ", ")
}

func (f WantFailure) differs(got WantFailure) string {
	return strings.Join(slices.Concat(
		compareField("kind", f.Kind, got.Kind), compareField("file", f.File, got.File), compareField("line", f.Line, got.Line),
		compareField("column", f.Column, got.Column), compareField("message", f.Message, got.Message),
		compareField("got", f.Got, got.Got), compareField("want", f.Want, got.Want),
	), ", ")
}

// compareField compares one field if it is wanted. A missing one equals its zero value.
func compareField[T comparable](name string, want, got *T) []string {
	if want == nil {
		return nil
	}
	var value T
	if got != nil {
		value = *got
	}
	if value == *want {
		return nil
	}
	return []string{fmt.Sprintf("%s is %#v, want %#v", name, value, *want)}
}

func observedWithDiff(f sdk.Failure) WantFailure {
	w := observedFailure(f)
	w.Got, w.Want = &f.Diff.Got, &f.Diff.Want
	return w
}
