package host

import (
	"testing"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

// Tests that a loop or a generator makes share a line: what is new there need not be
// what is gone.
func TestALineOfSeveralTestsIsThePlaceOfNone(t *testing.T) {
	for name, beside := range map[string][]history.Result{
		"alone": nil, "beside another": {passed("f_test.go", "Peer")},
	} {
		p := newPast(t)
		renamed := failed("f_test.go", "New")
		renamed.Excerpt = "another failure"
		before := p.runAs(history.Run{}, append(beside, failed("f_test.go", "Old"))...)
		p.runAs(history.Run{}, append(beside, renamed)...)
		old := record.Test{Suite: "s", Test: "Old"}
		names, err := p.renames(t.Context(), "x", []rerun.Entry{{Test: old, LastRunID: before.ID}})
		p.must(err)
		if _, found := names[old]; found != (beside == nil) {
			t.Errorf("%s: %v", name, names)
		}
	}
}
