package session

import (
	"encoding/json"
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
// Runs that a session still points at are kept, whatever their age.
func (s *Store) Prune(now time.Time) error {
	kept := s.slotRuns(now)
	type aged struct {
		path string
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
		path := filepath.Join(s.dir, "runs", e.Name())
		runs = append(runs, aged{path, info.ModTime(), dirSize(path)})
	}
	sort.Slice(runs, func(i, j int) bool { return runs[i].at.After(runs[j].at) })
	var total int64
	for i, r := range runs {
		total += r.size
		if i+len(kept) >= maxRuns || now.Sub(r.at) > maxAge || total > maxBytes {
			if err := os.RemoveAll(r.path); err != nil {
				return &StoreError{Path: r.path, Err: err}
			}
		}
	}
	return nil
}

// slotRuns are the runs that any session's slot names.
func (s *Store) slotRuns(now time.Time) map[string]bool {
	kept := map[string]bool{}
	paths, _ := filepath.Glob(filepath.Join(s.dir, "sessions", "*.json"))
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && now.Sub(info.ModTime()) > maxAge {
			os.Remove(p) // a terminal that nobody has used for so long is gone
			continue
		}
		raw, err := os.ReadFile(p)
		if err != nil {
			continue
		}
		var st state
		if json.Unmarshal(raw, &st) != nil {
			continue
		}
		for _, slot := range st.Slots {
			kept[slot.RunID] = true
			for _, id := range slot.Running {
				kept[id] = true
			}
		}
	}
	return kept
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
