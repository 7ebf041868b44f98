package work

import (
	"reflect"
	"testing"
	"time"

	"go.temporal.io/api/taskqueue/v1"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func TestAWorkerStartedAgainIsTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	take := func(slots int) (string, func()) {
		t.Helper()
		id, release, err := TakeIdentity(dir, slots)
		if err != nil {
			t.Fatal(err)
		}
		return id, release
	}
	first, end := take(2)
	second, endSecond := take(2)
	defer endSecond()
	if nameOf(first) == nameOf(second) || SlotsOf(first) != 2 {
		t.Errorf("two workers are %q and %q", first, second)
	}
	end()
	again, end := take(3)
	defer end()
	if nameOf(again) != nameOf(first) || SlotsOf(again) != 3 {
		t.Errorf("%q, started again, is %q", first, again)
	}
	if elsewhere, end, err := TakeIdentity(t.TempDir(), 2); err != nil || nameOf(elsewhere) == nameOf(first) {
		t.Errorf("a worker of another directory is %q, too: %v", elsewhere, err)
	} else {
		end()
	}
}

// The server lists a worker for minutes after its end.
func TestAWorkerCountsOnceAsItIsNow(t *testing.T) {
	t.Parallel()
	now := time.Now()
	poller := func(id string, ago time.Duration) *taskqueue.PollerInfo {
		return &taskqueue.PollerInfo{Identity: id, LastAccessTime: timestamppb.New(now.Add(-ago))}
	}
	got := latest([]*taskqueue.PollerInfo{
		poller("a/1 slots=2", 30*time.Second), poller("b/1 slots=1", 40*time.Second), poller("a/1 slots=4", time.Second), poller("c/1 slots=8", 2*pollerAge),
	}, now)
	if want := []string{"a/1 slots=4", "b/1 slots=1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
