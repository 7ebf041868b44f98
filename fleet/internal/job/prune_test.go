package job

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/fleet/internal/store"
)

// aged is a store whose objects have the given times.
type aged struct {
	store.Store
	ages map[string]time.Time
}

func (a aged) Ages(context.Context, string) (map[string]time.Time, error) { return a.ages, nil }

func (a aged) Remove(ctx context.Context, name string) error {
	return a.Store.(store.Cleaned).Remove(ctx, name)
}

func TestOldRunsThatEndedAreRemoved(t *testing.T) {
	t.Parallel()
	s := open(t)
	now := time.Now()
	old, young := now.Add(-100*time.Hour), now.Add(-time.Hour)
	ages := map[string]time.Time{
		"jobs/old/job.json": old, "jobs/old/sources/ab": old, "jobs/old/attempts/00000/1/red-000000.json": old,
		"jobs/young/job.json": young,
		"jobs/long/job.json":  old, "jobs/long/accepted/00000": young,
		"jobs/runs/job.json":    old,
		"jobs/unknown/job.json": old,
		"jobs/rest/attempts/x":  old,
	}
	for name := range ages {
		if _, err := s.Put(t.Context(), name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	noAnswer := errors.New("no answer")
	removed, err := Prune(t.Context(), aged{s, ages}, now.Add(-50*time.Hour), func(_ context.Context, id string, _ time.Time) (bool, error) {
		if id == "unknown" {
			return false, noAnswer
		}
		return id == "runs", nil
	})
	if !errors.Is(err, noAnswer) || !slices.Equal(removed, []string{"old", "rest"}) {
		t.Errorf("removed %q, %v", removed, err)
	}
	left, err := s.List(t.Context(), "jobs/")
	if want := []string{"jobs/long/accepted/00000", "jobs/long/job.json", "jobs/runs/job.json", "jobs/unknown/job.json", "jobs/young/job.json"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left %q, %v", left, err)
	}
}
