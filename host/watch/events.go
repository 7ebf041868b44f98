package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// Events reports that something may have changed in some directories. Events are only
// hints: missed and repeated ones do no harm.
type Events struct {
	// C receives a value after one or more events.
	C chan struct{}

	watcher *fsnotify.Watcher
	done    chan struct{}
	mu      sync.Mutex
	watched map[string]bool
}

// newEvents starts listening. It must be closed.
func newEvents() (*Events, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	e := &Events{C: make(chan struct{}, 1), watcher: w, done: make(chan struct{}), watched: map[string]bool{}}
	go e.listen()
	return e, nil
}

// Close ends the listening.
func (e *Events) Close() {
	_ = e.watcher.Close()
	<-e.done
}

func (e *Events) listen() {
	defer close(e.done)
	for {
		select {
		case event, ok := <-e.watcher.Events:
			if !ok {
				return
			}
			if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
				e.forget(event.Name)
			}
			if name := filepath.Base(event.Name); name != ".proctor" && name != ".git" {
				e.hint()
			}
		case _, ok := <-e.watcher.Errors: // such as an overflow of the event queue
			if !ok {
				return
			}
			e.hint()
		}
	}
}

func (e *Events) hint() {
	select {
	case e.C <- struct{}{}:
	default:
	}
}

// forget stops watching a directory that was moved or removed, and those below it.
// Otherwise a new directory of the same name would not be watched.
func (e *Events) forget(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.watched[path] {
		return
	}
	for other := range e.watched {
		if other == path || strings.HasPrefix(other, path+string(filepath.Separator)) {
			delete(e.watched, other)
			_ = e.watcher.Remove(other)
		}
	}
}

// Watch watches exactly these directories. added reports whether some are new, in which
// case earlier changes in them were missed. An error means that not all of them can be
// watched, for example because of a system limit.
func (e *Events) Watch(dirs []string) (added bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	wanted := make(map[string]bool, len(dirs))
	for _, dir := range dirs {
		wanted[dir] = true
		if e.watched[dir] || !isDirectory(dir) {
			continue
		}
		switch err := e.watcher.Add(dir); {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			continue
		case err != nil:
			return added, err
		}
		e.watched[dir], added = true, true
	}
	for dir := range e.watched {
		if !wanted[dir] {
			delete(e.watched, dir)
			_ = e.watcher.Remove(dir)
		}
	}
	return added, nil
}

// isDirectory reports whether something is a directory, and not a link to one.
func isDirectory(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}
