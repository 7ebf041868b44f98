package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/fleet/internal/store"
)

// Prune removes jobs that do not run and for which nothing was stored since a time. It
// returns the jobs that it has removed.
func Prune(ctx context.Context, s store.Cleaned, since time.Time, runs func(ctx context.Context, id string, newest time.Time) (bool, error)) (removed []string, err error) {
	ages, err := s.Ages(ctx, allJobs)
	if err != nil {
		return nil, err
	}
	newest := map[string]time.Time{}
	for name, at := range ages {
		id, _, _ := strings.Cut(strings.TrimPrefix(name, allJobs), "/")
		if known, ok := newest[id]; !ok || at.After(known) {
			newest[id] = at
		}
	}
	for _, id := range slices.Sorted(maps.Keys(newest)) {
		if !newest[id].Before(since) {
			continue
		}
		goesOn, rerr := runs(ctx, id, newest[id])
		if rerr == nil && !goesOn {
			// First what names the job: a merge that reads it now sees that it is gone.
			if rerr = s.Remove(ctx, jobName(id)); rerr == nil {
				rerr = s.Remove(ctx, jobPrefix(id))
			}
			if rerr == nil {
				removed = append(removed, id)
			}
		}
		err = errors.Join(err, rerr)
		if ctx.Err() != nil {
			break
		}
	}
	return removed, err
}
