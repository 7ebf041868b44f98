//go:build unix

package screen

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// followSize draws the view again whenever the terminal has another size, until ctx
// ends.
func (s *Screen) followSize(ctx context.Context) {
	defer s.guard()
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	defer signal.Stop(sizes)
	for {
		select {
		case <-sizes:
			s.redraw()
		case <-ctx.Done():
			return
		}
	}
}
