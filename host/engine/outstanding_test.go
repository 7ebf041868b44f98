package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
)

func TestARerunLeavesWhatItAskedForAndNotWhatWaits(t *testing.T) {
	test := func(name string) api.Test { return api.Test{Suite: "p", Test: name} }
	p := &Plan{Chosen: &outstanding.Selection{Requested: []outstanding.Target{{Test: test("A")}}}}
	for name, want := range map[string]bool{"A": true, "Waiting": false} {
		after := outstanding.Set{Entries: []outstanding.Entry{{Test: test(name)}}}
		if got := p.leaves(after); got != want {
			t.Errorf("%s is outstanding: %v", name, got)
		}
	}
}
