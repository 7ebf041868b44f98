//go:build unix

package artifacts

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// terminalID identifies the terminal session of the process: the session leader and
// when it began, so that a reused process number is another session. ok is false
// without a terminal.
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
