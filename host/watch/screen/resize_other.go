//go:build !unix

package screen

import "context"

// followSize does nothing: the next key or round finds out.
func (s *Screen) followSize(context.Context) {}
