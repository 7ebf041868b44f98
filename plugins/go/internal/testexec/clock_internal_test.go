package testexec

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

func TestThePackagesShareTheTime(t *testing.T) {
	for _, test := range []struct {
		left     time.Duration
		packages int
		want     time.Duration
	}{
		{10 * time.Minute, 1, 5 * time.Minute},
		{10 * time.Minute, 3, 150 * time.Second},
		{10 * time.Minute, 50, leastShare},
		{time.Minute, 50, 30 * time.Second},
		{-time.Minute, 1, -1},
	} {
		c := clock{deadline: time.Now().Add(test.left)}
		if got := c.share(test.packages); got > test.want || got < test.want-time.Second {
			t.Errorf("of %s, for %d packages, it is %s, want %s", test.left, test.packages, got, test.want)
		}
	}
	if got := (clock{}).share(3); got != 0 {
		t.Errorf("without a deadline it is %s", got)
	}
	m := measurement{clock: clock{deadline: time.Now().Add(time.Hour)}, timeout: time.Second}
	if got := m.togetherLimit(1); got != time.Second {
		t.Errorf("with the user's time-out of a second it is %s", got)
	}
	if got := (&measurement{timeout: time.Second}).togetherLimit(1); got != time.Second {
		t.Errorf("without a deadline it is %s", got)
	}
}

func TestHangingTestsAreNamed(t *testing.T) {
	r := ran{timedOut: true, limit: time.Minute, output: &testOutput{}}
	if got := r.hungTests(); got != "the test binary did not end within 1m0s" {
		t.Error(got)
	}
	for _, name := range []string{"TestA", "TestB", "TestC", "TestD", "TestE"} {
		r.output.start([]byte(name))
	}
	r.output.end("TestB", sdk.Passed, "0s)")
	if got := r.hungTests(); got != "TestA, TestC, TestD and 1 more did not end within 1m0s" {
		t.Error(got)
	}
	r.timedOut = false
	if got := r.hungTests(); got != "" {
		t.Error(got)
	}
}

// The time runs out because a test hangs, whether or not others were measured before.
func TestAHangingTestIsWhyTheTimeRanOut(t *testing.T) {
	hangs := ran{timedOut: true, limit: time.Minute, output: &testOutput{}, why: "no coverage profile was left"}
	hangs.output.start([]byte("TestHang"))
	out := sdk.SuiteCoverage{Granularity: sdk.CoveragePerTest, Why: "the time budget was exhausted after 1 of 3 tests"}
	m := measurement{timeout: time.Minute}
	if got := m.concludeIncomplete(out, hangs); got.Why != "TestHang did not end within 1m0s" || got.Granularity != sdk.CoverageNone || got.Cut {
		t.Errorf("of none: %+v", got)
	}
	out.Tests = []sdk.TestCoverage{{Name: "TestA"}}
	got := m.concludeIncomplete(out, hangs)
	if got.Why != "TestHang did not end within 1m0s" || got.Granularity != sdk.CoveragePerTest || !got.Cut || len(got.Tests) != 1 {
		t.Errorf("of one: %+v", got)
	}
	died := ran{output: &testOutput{}, why: "no coverage profile was left"}
	if got := m.concludeIncomplete(out, died); !strings.HasSuffix(got.Why, "1 of 3 tests; with all tests: no coverage profile was left") || len(got.Tests) != 1 {
		t.Errorf("of one, where all together died: %+v", got)
	}
}
