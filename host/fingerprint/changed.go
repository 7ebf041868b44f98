package fingerprint

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/git"
)

// Changed returns the files that changed since the snapshot was taken, or while it was,
// sorted and relative to its top. A file written again counts even with the same
// content: it may have had another in between. next is the present state, the same
// snapshot if nothing changed.
func (s *Snapshot) Changed(ctx context.Context) (files []string, next *Snapshot, err error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	cfg := s.cfg
	taken := cfg.now()
	cfg.Since = taken
	if !s.rulesMoved() {
		w := &walk{top: s.State.Top, again: true, repos: slices.Clone(s.repos)}
		next, err = look(ctx, cfg, taken, w, s.repos[0], s.root)
		var failed *git.Error
		switch {
		case err == nil && w.rules.Load(), ctx.Err() == nil && errors.As(err, &failed):
			next = nil // to be listed anew
		case err != nil:
			return nil, nil, err
		}
	}
	if next == nil {
		if next, err = open(ctx, cfg).take(ctx, cfg, s.root); err != nil {
			return nil, nil, err
		}
	}
	next.asking = s.asking
	files = s.compare(next)
	if len(files) == 0 && s.State.Commit == next.State.Commit && s.State.Branch == next.State.Branch && s.State.Top == next.State.Top {
		return nil, s, nil
	}
	return files, next, nil
}

// TouchedSince reports whether a file was modified at the moment or later, as far as its
// time shows.
func (s *Snapshot) TouchedSince(moment time.Time) bool {
	return slices.ContainsFunc(s.files, func(f *file) bool { return f.stat.since(moment, s.taken) })
}

// IsOf reports whether the snapshot is of the sources that a configuration says.
func (s *Snapshot) IsOf(cfg Config) bool {
	return s.cfg.Root == cfg.Root && s.cfg.Git == cfg.Git && slices.Equal(s.cfg.Outputs, cfg.Outputs) && slices.Equal(s.cfg.Env, cfg.Env)
}

// rulesMoved reports whether what is tracked, ignored or converted may have changed.
func (s *Snapshot) rulesMoved() bool {
	return slices.ContainsFunc(s.repos, func(r *repository) bool { return r.moved(s.taken) })
}

// compare returns the files that differ, were written again, or moved while one of the
// snapshots was taken.
func (s *Snapshot) compare(next *Snapshot) []string {
	files := slices.Concat(s.moved, next.moved)
	before, now := s.files, next.files
	for len(before) > 0 || len(now) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(now) == 0:
			order = -1
		default:
			order = strings.Compare(before[0].Path, now[0].Path)
		}
		switch {
		case order < 0:
			files = append(files, before[0].Path)
			before = before[1:]
		case order > 0:
			files = append(files, now[0].Path)
			now = now[1:]
		default:
			a, b := before[0], now[0]
			if a.File != b.File || a.stat.mtime != b.stat.mtime || a.stat.ino != b.stat.ino {
				files = append(files, a.Path)
			}
			before, now = before[1:], now[1:]
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
