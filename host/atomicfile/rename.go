package atomicfile

import (
	"os"
	"time"
)

// renameTries and renamePause allow readers of a small file, which can keep it from
// being replaced, a quarter of a second to finish.
const (
	renameTries = 25
	renamePause = 10 * time.Millisecond
)

// Rename renames a file or directory within a file system. It waits briefly for
// processes that have it, or what it replaces, open.
func Rename(from, to string) error {
	return insist(func() error { return os.Rename(from, to) }, inUse, func() { time.Sleep(renamePause) })
}

// insist retries do while it fails only because something is busy.
func insist(do func() error, busy func(error) bool, pause func()) error {
	err := do()
	for n := 1; n < renameTries && err != nil && busy(err); n++ {
		pause()
		err = do()
	}
	return err
}
