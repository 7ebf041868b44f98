//go:build unix

package screen

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
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

// undelivered is how long after the signal we assume that it does not stop us: the kernel
// drops it where no shell could continue us.
const undelivered = 200 * time.Millisecond

// suspend stops the process as Ctrl-Z does outside of raw mode, until a shell continues it.
// The view gives way to the shell, and is drawn anew below whatever was done meanwhile.
func suspend(s *Screen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	s.replace(nil)
	s.restore()
	_ = syscall.Kill(0, syscall.SIGTSTP) // the whole group, as the terminal would
	select {
	case <-continued:
	case <-time.After(undelivered):
	}
	s.raw()
	s.drawn = nil
	s.draw()
}
