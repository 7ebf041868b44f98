package api_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestCountsOfResultsNameTheNumberOfTests(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]api.Counts{
		"0 tests passed, 0 failed":                                              {},
		"1 test passed, 2 failed, 1 of them flaky":                              {Tests: 3, Passed: 1, Failed: 2, Flaky: 1},
		"1 test passed, 2 failed, 1 skipped":                                    {Tests: 4, Passed: 1, Failed: 2, Skipped: 1},
		"4 passed, 1 failed (results of 2 tests)":                               {Tests: 2, Subtests: 3, Passed: 4, Failed: 1},
		"3 passed, 0 failed (results of 1 test)":                                {Tests: 1, Repeats: 2, Passed: 3},
		"300000 results passed, 1 failed, 2 unfinished":                         {Passed: 300000, Failed: 1, Unfinished: 2, Subtests: 7},
		"2 passed, 1 failed (results of 2 tests, 1 fixture)":                    {Tests: 2, Passed: 2, Failed: 1, Fixtures: 1},
		"1 passed, 2 failed, 3 skipped, 4 unfinished (results of 5 tests)":      {Tests: 5, Subtests: 5, Passed: 1, Failed: 2, Skipped: 3, Unfinished: 4},
		"2 passed, 0 failed (results of 1 test)":                                {Tests: 1, Subtests: 1, Passed: 2},
		"0 passed, 1 failed (results of 1 test)" /* derived beside its part */ : {Tests: 1, Subtests: 1, Failed: 1},
		"2 tests passed, 1 of them cached, 0 failed":                            {Tests: 2, Passed: 2, Cached: 1},
		"3 passed, all of them cached, 0 failed (results of 1 test)":            {Tests: 1, Subtests: 2, Passed: 3, Cached: 3},
		"1 test passed, 0 failed":                                               {Tests: 1, Passed: 1},
		"0 passed, 0 failed (results of 1 test)" /* failed for others alone */ : {Tests: 1},
	} {
		if got := c.Results(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestOutstandingItemsAreCountedByKind(t *testing.T) {
	t.Parallel()
	kinds := api.OutstandingCounts{Tests: 2, Subtests: 1}
	kinds.Add(api.OutstandingCounts{Suites: 1, Runs: 1})
	if got, want := kinds.String(), "2 tests, 1 subtest, 1 suite, 1 run as a whole"; got != want || kinds.Total() != 5 {
		t.Errorf("got  %s (%d)\nwant %s", got, kinds.Total(), want)
	}
	if got := (api.Run{Outstanding: 5, OutstandingCounts: kinds}).DescribeOutstanding(); got != kinds.String() {
		t.Errorf("of a run: %s", got)
	}
	if got := (api.Run{Outstanding: 3}).DescribeOutstanding(); got != "3 names" {
		t.Errorf("of a record without the kinds: %s", got)
	}
	if got := (api.Counts{Unfinished: 3, SubtestsUnfinished: 2}).DidNotFinish(); got != "1 test, 2 subtests" {
		t.Errorf("unfinished: %s", got)
	}
}
