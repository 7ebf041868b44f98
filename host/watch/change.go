package watch

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	// maxRestarts is how often in a row the same files may stop a round. After that, the
	// tests themselves probably write them, so the next round waits, twice as long each
	// time.
	maxRestarts  = 3
	firstBackoff = time.Second
	maxBackoff   = time.Minute
)

// restarts is a series of rounds that the same files stopped: files says how many of them
// each changed in.
type restarts struct {
	files map[string]int
	count int
}

// change handles a change of the sources.
func (l *loop) change(seen looked) {
	r := Round{Saved: seen.Files, Noticed: seen.noticed}
	updating := l.running != nil && l.running.What == Update // writes sources on purpose
	if !seen.during {
		l.restarts, l.pause = restarts{}, nil
	} else if updating {
		seen.during = false
	} else if l.running == nil || !l.running.counted || !l.restarts.has(seen.Look) {
		l.restarts.add(seen.Look)
	}
	tests := l.restarts.count > maxRestarts
	if l.next != nil && !l.next.First {
		r.What = restartOf(l.next.What)
		r.Saved = unite(l.next.Saved, r.Saved)
	}
	if l.running == nil {
		l.next = &r
		if tests {
			l.backOff()
		} else {
			l.begin()
		}
		return
	}
	l.running.counted = !updating
	if l.next == nil {
		r.What = restartOf(l.running.What)
	}
	l.next = &r
	if !tests && !updating && !l.running.stale {
		r.Restarted, l.running.stale = true, true
		l.running.cancel()
		l.Viewer.Stopping()
	}
	r.Restarted = l.running.stale
}

// restartOf returns what replaces a round that a change made stale: what the user asked
// for, and at least what the change can break.
func restartOf(w What) What {
	if w == Failed || w == Update {
		return Changed
	}
	return w
}

func unite(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *restarts) has(seen Look) bool {
	return seen.Added || !slices.ContainsFunc(seen.Files, func(f string) bool { return s.files[f] == 0 })
}

// add counts a change during a round: of the same files as before, or of others.
func (s *restarts) add(seen Look) {
	if !s.has(seen) || s.files == nil {
		*s = restarts{files: map[string]int{}}
	}
	for _, f := range seen.Files {
		s.files[f]++
	}
	s.count++
}

// often returns the files that changed in more rounds than one, or all if each has another
// name in every round: a file that was saved meanwhile is not one of them.
func (s *restarts) often() []string {
	all := slices.Sorted(maps.Keys(s.files))
	files := slices.DeleteFunc(slices.Clone(all), func(f string) bool { return s.files[f] < 2 })
	if len(files) == 0 {
		return all
	}
	return files
}

// backOff delays the next round: its changes seem to be made by the tests.
func (l *loop) backOff() {
	n := l.restarts.count - maxRestarts - 1
	if n == 0 {
		files := l.restarts.often()
		text := " changes whenever tests run: if they write it, have git ignore it"
		if len(files) != 1 {
			text = " change whenever tests run: if they write them, have git ignore them"
		}
		l.Viewer.Note(Name(files) + text)
	}
	l.pause = time.After(min(firstBackoff<<min(n, 10), maxBackoff))
}

// Name names a list of files in a few words.
func Name(files []string) string {
	switch len(files) {
	case 0:
		return ""
	case 1:
		return files[0]
	case 2:
		return files[0] + " and " + files[1]
	}
	return fmt.Sprintf("%s and %d more files", files[0], len(files)-1)
}
