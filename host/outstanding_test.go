package host

import (
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

func TestARerunLeavesWhatItAskedForAndNotWhatWaits(t *testing.T) {
	test := func(name string) record.Test { return record.Test{Suite: "p", Test: name} }
	f := &finisher{sel: &rerun.Selection{Requested: []rerun.Target{{Test: test("A")}}}}
	for name, want := range map[string]bool{"A": true, "Waiting": false} {
		after := rerun.Set{Entries: []rerun.Entry{{Test: test(name)}}}
		if got := f.leaves(after); got != want {
			t.Errorf("%s is outstanding: %v", name, got)
		}
	}
}
