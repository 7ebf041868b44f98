package metrics_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/metrics"
)

func TestOfTwoSeedsOnlyWhatDiffersIsNamed(t *testing.T) {
	for _, c := range []struct{ before, now, want string }{
		{"0x1, threads 2", "0x2, threads 2", "0x1 → 0x2"},
		{"0x1, threads 2", "0x1, threads 8", "threads 2 → threads 8"},
		{"0x1", "0x2, threads 2", "0x1 → 0x2, threads 2"},
		{"", "0x2", "none → 0x2"},
	} {
		got := metrics.Compare(metrics.Request{
			Before: run(passed("A", of("fuzz_median", "1", 9, c.before))), Now: run(passed("A", of("fuzz_median", "2", 9, c.now))),
		}).Incomparable
		if len(got) != 1 || got[0].Reason != metrics.OtherSeed || got[0].Detail != c.want {
			t.Errorf("%q and %q: %+v", c.before, c.now, got)
		}
	}
}
