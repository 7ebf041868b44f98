package artifacts

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// sharedPrefix begins the ids of the sessions of commands that belong to none: such
// as those of a script or of an agent's shell, which may start each command apart.
const sharedPrefix = "shared-"

// sharedFile says which of them is the present one. It is no session's own file: see
// [Store.Forget].
const sharedFile = "shared.now"

// present is the session that commands share, and when the last one was.
type present struct {
	Workspace string    `json:"workspace"`
	SessionID string    `json:"session_id"`
	Last      time.Time `json:"last"`
}

// SessionID is the session from which the store is seen.
func (s *Store) SessionID() string { return s.cfg.SessionID }

// share gives a store without a session the one that commands without one share, or
// begins another where the last command is too long ago. Where nothing can be
// written, the next command finds what this one found.
func (s *Store) share() {
	if s.cfg.SessionID != "" {
		return
	}
	now := s.cfg.now()
	f := files{workspace: s.cfg.Workspace, dir: filepath.Join(s.dir, "sessions"), name: sharedFile}
	p, goesOn := s.present(f, now)
	s.cfg.SessionID = p.SessionID
	if goesOn && now.Sub(p.Last).Abs() < s.cfg.Idle/maxLag {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharePatience)
	defer cancel()
	lock, err := f.lock(ctx)
	if err != nil {
		return
	}
	defer lock.Unlock()
	p, _ = s.present(f, now) // another command may have begun one
	if p.Last = now; f.replace(f.statePath(), p, false) == nil {
		s.cfg.SessionID = p.SessionID
	}
}

const (
	// maxLag is by which part of the idle time the last command may be older than its
	// note says: so not every command writes a file.
	maxLag = 240
	// sharePatience bounds waiting for another command that writes the note.
	sharePatience = 2 * time.Second
)

// present is the session that goes on, or the one that begins now.
func (s *Store) present(f files, now time.Time) (p present, goesOn bool) {
	found, err := readJSON(f.statePath(), &p)
	known := found && err == nil && p.Workspace == s.cfg.Workspace && p.SessionID != "" && isWord(p.SessionID)
	if known && (now.Sub(p.Last).Abs() <= s.cfg.Idle || s.isBusy(p.SessionID)) {
		return p, true
	}
	at := now.UTC()
	id := fmt.Sprintf("%s%s-%03d", sharedPrefix, at.Format("20060102-150405"), at.Nanosecond()/int(time.Millisecond))
	return present{Workspace: s.cfg.Workspace, SessionID: id, Last: now}, false
}

// isBusy reports whether a run of a session goes on: a run of five hours is a command
// that has not ended.
func (s *Store) isBusy(id string) bool {
	st, err := files{workspace: s.cfg.Workspace, dir: filepath.Join(s.dir, "sessions"), name: fileName(id)}.state()
	if err != nil {
		return false
	}
	for _, slot := range st.Slots {
		for _, run := range slot.Running {
			if s.Alive(run) {
				return true
			}
		}
	}
	return false
}

// used notes that a command of the shared session has just ended.
func (s *Store) used() {
	if s.cfg.Idle == 0 {
		return
	}
	f := files{workspace: s.cfg.Workspace, dir: filepath.Join(s.dir, "sessions"), name: sharedFile}
	ctx, cancel := context.WithTimeout(context.Background(), sharePatience)
	defer cancel()
	lock, err := f.lock(ctx)
	if err != nil {
		return
	}
	defer lock.Unlock()
	var p present
	if found, err := readJSON(f.statePath(), &p); found && err == nil && p.SessionID == s.cfg.SessionID {
		p.Last = s.cfg.now()
		_ = f.replace(f.statePath(), p, false) // then the session ends a little earlier
	}
}

func (c Config) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}
