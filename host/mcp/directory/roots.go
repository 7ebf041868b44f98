package directory

import (
	"sync"

	"github.com/proctorhq/proctor/host/workspace"
)

// The variables that name a workspace.
const (
	ByVariable = "PROCTOR_WORKSPACE"
	ByClaude   = "CLAUDE_PROJECT_DIR"
)

// Roots caches which project a directory is in, as plugins may have to walk all of it to
// find out. It does not cache that there is none.
type Roots struct {
	mu    sync.Mutex
	known map[string]string // by the directory where the search began
}

// Known returns the project that a directory was found to be in.
func (r *Roots) Known(dir string) (root string, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	root, known = r.known[dir]
	return root, known
}

// Find returns the project that a directory is in, and searches for it if that is unknown.
func (r *Roots) Find(dir string, search func() (string, error)) (string, error) {
	if root, known := r.Known(dir); known {
		return root, nil
	}
	root, err := search()
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.known == nil {
			r.known = map[string]string{}
		}
		r.known[dir] = root
	}
	return root, err
}

// IsOwn reports whether a workspace is known to be the one for calls that name none. It
// starts no plugin to find out, because an answer about a run must not.
func (p Server) IsOwn(dir string, roots *Roots) bool {
	set := workspace.Getenv(p.Env, ByVariable)
	if len(p.Allowed) > 0 {
		set = p.Allowed[0]
	}
	if set != "" {
		own, err := p.Resolve(p.Dir, set)
		return err == nil && own == dir
	}
	for _, from := range []string{workspace.Getenv(p.Env, ByClaude), p.Dir} {
		if from == "" {
			continue
		}
		from, err := p.Resolve(p.Dir, from)
		if err != nil {
			continue
		}
		if root, known := roots.Known(from); known || from == dir {
			return root == dir || from == dir
		}
	}
	return false
}
