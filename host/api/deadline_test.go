package api

import (
	"testing"
	"time"
)

func TestOnlyADeadlineThatWasReachedIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		run  Run
		want time.Duration
	}{
		"proctor's":                     {Run{TimedOut: true, TimeoutS: 300, DurationS: 300.2}, 300 * time.Second},
		"proctor's, told to the runner": {Run{TimedOut: true, TimeoutS: 8, DurationS: 7.3}, 8 * time.Second},
		"the runner's, not much less":   {Run{TimedOut: true, TimeoutS: 300, DurationS: 260}, 0},
		"the runner's":                  {Run{TimedOut: true, TimeoutS: 300, DurationS: 0.1}, 0},
		"none":                          {Run{TimeoutS: 300, DurationS: 301}, 0},
		"no deadline":                   {Run{TimedOut: true, DurationS: 601}, 0},
	} {
		if got := PassedDeadline(c.run); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
