//go:build unix

package artifacts

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// terminalID identifies the terminal session of the process by its session leader and
// when that started, since process ids are reused. ok is false without a terminal.
func terminalID() (id string, ok bool) {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return "", false
	}
	tty.Close()
	sid, err := unix.Getsid(0)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("term-%d-%d", sid, startTime(sid)), true
}
