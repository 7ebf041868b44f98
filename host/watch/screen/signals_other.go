//go:build !unix

package screen

import "context"

// followSize does nothing: the next redraw uses the new size.
func (s *Screen) followSize(context.Context) {}

// suspend does nothing: there are no jobs.
func suspend(*Screen) {}
