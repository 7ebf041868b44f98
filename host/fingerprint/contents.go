package fingerprint

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// readTries is how often reading a changing file is tried.
const readTries = 3

// contents reads the files that must be read. most bounds their total size.
func (w *walk) contents(ctx context.Context, root *dir, most int64) error {
	var todo []*file
	total := int64(0)
	for f := range root.each {
		if f.read {
			todo = append(todo, f)
			total += f.stat.size
		}
	}
	if total > most {
		return &TooLargeError{Top: w.top, What: "bytes", Bound: most}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers(), len(todo)) {
		wg.Go(func() {
			h := newHasher()
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(todo)) {
					return
				}
				if err := w.content(h, todo[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// content reads one file. The stat precedes the reading: a change meanwhile shows in
// the next stat.
func (w *walk) content(h *hasher, f *file) error {
	path := absolute(w.top, f.Path)
	f.clean = false
	for range readTries {
		sum, err := h.file(path, f.repo.wide, f.stat)
		if err == nil {
			f.Hash, f.read = sum, false
			return nil
		}
		if !errors.Is(err, errMoved) {
			return err
		}
		f.moved = true
		st, err := lstat(path)
		if err != nil || st.kind != f.stat.kind {
			break
		}
		f.stat, f.racy = st, true
	}
	f.Hash = Hash{}
	return nil
}
