// Package store keeps things by name, with a mistake in it.
package store

// Store keeps things by name.
type Store struct {
	things map[string]string // the mistake: it is never created
}

// Put keeps a thing.
func (s *Store) Put(name, thing string) { s.things[name] = thing }

// Get returns a thing, or nothing.
func (s *Store) Get(name string) string { return s.things[name] }
