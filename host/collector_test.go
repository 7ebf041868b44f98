package host

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// What is shown while a run goes on must not exceed what it says in the end.
func TestProgressCountsAsTheEndDoes(t *testing.T) {
	t.Parallel()
	var shown sdk.Progress
	c := newCollector(nil, nil, Observer{Progress: func(p sdk.Progress) { shown = p }})
	for name, derived := range map[string]bool{"TestA": true, "TestA/inner": false} {
		c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "s", Name: name}, Status: sdk.Failed, Derived: derived})
	}
	c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "s", Name: "TestB"}, Status: sdk.Passed})
	c.Progress(sdk.Progress{Passed: 1, Failed: 2, SuitesDone: 3})
	if shown.Failed != 1 || shown.Passed != 1 || shown.SuitesDone != 3 {
		t.Errorf("%+v", shown)
	}
}
