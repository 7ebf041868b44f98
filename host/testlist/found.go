package testlist

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// The bounds of a listing. The largest projects have some ten thousand tests, whose
// names take a tenth of the bytes.
const (
	maxFoundTests      = 100_000
	maxFoundBytes      = 64 << 20
	maxFoundErrors     = 20
	maxFoundErrorBytes = 16 << 10 // each
)

// foundTest is a test of a listing.
type foundTest struct {
	suite string
	api.ListedTest
}

// FoundTests is what a listing found, and what it could not.
type FoundTests struct {
	// Named are the suites that were requested by name; true if listed.
	Named map[string]bool
	tests []foundTest
	bytes int
	// unkept counts what was found beyond the bounds.
	unkept   int
	errors   []string
	failed   int // errors, including those beyond the bounds
	warnings []api.Note
}

var _ sdk.ListSink = (*FoundTests)(nil)

// Suite adds all or some tests of a suite.
func (f *FoundTests) Suite(s sdk.ListedSuite) {
	if s.Incomplete != "" {
		f.Error(s.Incomplete)
	}
	if _, named := f.Named[s.Suite]; named {
		f.Named[s.Suite] = true
	}
	for _, t := range s.Tests {
		size := len(s.Suite) + len(t.Name) + len(t.Location.File)
		if len(f.tests) == maxFoundTests || f.bytes+size > maxFoundBytes {
			f.unkept++
			continue
		}
		f.bytes += size
		f.tests = append(f.tests, foundTest{s.Suite, api.ListedTest{
			Test: t.Name, File: t.Location.File, Line: t.Location.Line, OnRequest: t.OnRequest,
		}})
	}
}

// Part ignores parts, which were not requested.
func (f *FoundTests) Part(sdk.ListedPart) {}

// Error adds why something could not be listed.
func (f *FoundTests) Error(text string) {
	if f.failed++; f.failed <= maxFoundErrors {
		f.errors = append(f.errors, prose.Cut(text, maxFoundErrorBytes, sdk.TruncationMark))
	}
}

// Sort sorts the tests by name. A test listed twice counts once, as in a run.
func (f *FoundTests) Sort() {
	slices.SortFunc(f.tests, func(a, b foundTest) int {
		return cmp.Or(cmp.Compare(a.suite, b.suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	f.tests = slices.CompactFunc(f.tests, func(a, b foundTest) bool { return a.suite == b.suite && a.Test == b.Test })
}

// Summarize says how many there are, and whether that is all.
func (f *FoundTests) Summarize(list *api.TestList) {
	list.Total, list.Complete = len(f.tests)+f.unkept, f.failed == 0 && f.unkept == 0
	for i, t := range f.tests {
		if t.OnRequest {
			list.OnRequest++
		}
		if i == 0 || t.suite != f.tests[i-1].suite {
			list.SuitesTotal++
		}
	}
	list.Errors = f.errors
	if left := f.failed - len(f.errors); left > 0 {
		list.Errors = append(list.Errors, fmt.Sprintf("and %d more errors", left))
	}
	if f.unkept > 0 {
		list.Errors = append(list.Errors, fmt.Sprintf("only %d of the %d tests are listed: select fewer", len(f.tests), list.Total))
	}
}
