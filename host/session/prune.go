package session

import (
	"os"
	"path/filepath"
	"sort"
	"time"
)

// maxRuns and maxAge bound the records: enough to look back over weeks of work,
// small enough that nobody has to clean up.
const (
	maxRuns  = 100
	maxAge   = 30 * 24 * time.Hour
	maxBytes = 1 << 30
)

// Prune removes old runs: beyond a number, an age or a total size, oldest first.
// Runs that a session still points at and those that go on are kept, whatever
// their age and size.
func (s *Store) Prune(now time.Time) error {
	kept := s.pruneSessions(now)
	type aged struct {
		id   string
		at   time.Time
		size int64
	}
	var runs []aged
	entries, err := os.ReadDir(filepath.Join(s.dir, "runs"))
	if err != nil {
		return &StoreError{Path: s.dir, Err: err}
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || kept[e.Name()] {
			continue
		}
		runs = append(runs, aged{e.Name(), info.ModTime(), dirSize(filepath.Join(s.dir, "runs", e.Name()))})
	}
	sort.Slice(runs, func(i, j int) bool { return runs[i].at.After(runs[j].at) })
	var total int64
	for i, r := range runs {
		total += r.size
		if i+len(kept) < maxRuns && now.Sub(r.at) <= maxAge && total <= maxBytes || s.Alive(r.id) {
			continue
		}
		path := filepath.Join(s.dir, "runs", r.id)
		if err := os.RemoveAll(path); err != nil {
			return &StoreError{Path: path, Err: err}
		}
	}
	return nil
}

func dirSize(dir string) int64 {
	var size int64
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}
