package standing

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// Tests made by a loop or a generator share a line: a new one there need not be the one
// that is gone.
func TestALineSharedByTestsLocatesNone(t *testing.T) {
	for name, beside := range map[string][]history.Result{
		"alone": nil, "beside another": {historytest.Passed("f_test.go", "Peer")},
	} {
		p := ledgertest.New(t)
		renamed := historytest.Failed("f_test.go", "New")
		renamed.Excerpt = "another failure"
		before := p.RunAs(history.Run{}, append(beside, historytest.Failed("f_test.go", "Old"))...)
		p.RunAs(history.Run{}, append(beside, renamed)...)
		old := sdk.TestID{Suite: "s", Test: "Old"}
		names, err := FindRenames(t.Context(), p.Ledger, "x", []outstanding.Entry{{TestID: old, LastRunID: before.ID}})
		p.Must(err)
		if _, found := names[old]; found != (beside == nil) {
			t.Errorf("%s: %v", name, names)
		}
	}
}
