package artifacts

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxAge is how long the slots of a session that nobody uses are kept.
const maxAge = 30 * 24 * time.Hour

// prunedFile is touched whenever old records were looked for.
const prunedFile = "pruned"

// PruneDue reports whether it is time to look for old records: there are more runs
// than most, or nobody looked for the given time. It counts as having looked.
func (s *Store) PruneDue(now time.Time, every time.Duration, most int) bool {
	path := filepath.Join(s.dir, prunedFile)
	info, err := os.Lstat(path)
	entries, _ := os.ReadDir(filepath.Join(s.dir, runsDir))
	if err == nil && now.Sub(info.ModTime()).Abs() < every && (most == 0 || len(entries) <= most) {
		return false
	}
	if err == nil && info.Mode().IsRegular() && os.Chtimes(path, now, now) == nil {
		return true
	}
	// What cannot be written is looked for again next time.
	_ = replaceFile(path, nil)
	return true
}

// PruneSoon makes it time to look for old records again: there are some left.
func (s *Store) PruneSoon() { _ = os.Remove(filepath.Join(s.dir, prunedFile)) }

// Forget forgets the sessions that are over.
func (s *Store) Forget(now time.Time) {
	dir := filepath.Join(s.dir, "sessions")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, isState := strings.CutSuffix(e.Name(), stateSuffix)
		orphan := false
		if locked, isLock := strings.CutSuffix(e.Name(), lockSuffix); isLock {
			_, err := os.Lstat(filepath.Join(dir, locked+stateSuffix))
			name, orphan = locked, os.IsNotExist(err)
		}
		if !orphan && (!isState || strings.Contains(name, ".")) {
			continue // the other files of a session
		}
		f := files{workspace: s.cfg.Workspace, dir: dir, name: name}
		if orphan || f.isOver(now) {
			f.forget(now)
		}
	}
}

// dirSize sums up the files of a folder, in bytes.
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
