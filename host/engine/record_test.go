package engine

import (
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
)

func TestARunsDurationIsThatOfAMonotonicClock(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for name, started := range map[string]time.Time{
		"before it was set forward": began.UTC(), "before it was set back": began.Add(5 * time.Hour).UTC(),
	} {
		r := &record{keeper: &ledger.Keeper{Host: &project.Host{Cfg: project.Config{Now: func() time.Time { return began.Add(2 * time.Second) }}}}, began: began}
		if got := r.duration(started); got != 2*time.Second {
			t.Errorf("%s: %v", name, got)
		}
	}
}
