package testexec

import (
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
