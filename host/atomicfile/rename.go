package atomicfile

import (
	"os"
	"time"
)

// renameTries and renamePause give the readers of a small file, who may keep it
// from being replaced, a quarter of a second to get done.
const (
	renameTries = 25
	renamePause = 10 * time.Millisecond
)

// Rename gives a file or directory another name, in the same file system. It waits
// a moment for those who have it, or what it replaces, open.
func Rename(from, to string) error {
	return insist(func() error { return os.Rename(from, to) }, inUse, func() { time.Sleep(renamePause) })
}

// insist repeats what failed only because something was busy.
func insist(do func() error, busy func(error) bool, pause func()) error {
	err := do()
	for n := 1; n < renameTries && err != nil && busy(err); n++ {
		pause()
		err = do()
	}
	return err
}
