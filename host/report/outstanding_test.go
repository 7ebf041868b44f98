package report_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// A suite that a time-out cut did build, and nothing outside of its tests failed.
func TestASuiteIsOutstandingForAnyOfItsReasons(t *testing.T) {
	got := report.Outstanding(record.Outstanding{Total: 1, Tests: []record.OutstandingTest{{Suite: "s", Reason: "suite"}}})
	for _, why := range []string{"did not build", "failed outside of its tests", "did not come to an end"} {
		if !strings.Contains(got, why) {
			t.Errorf("%q is missing in %s", why, got)
		}
	}
}
