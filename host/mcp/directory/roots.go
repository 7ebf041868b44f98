package directory

import "sync"

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
