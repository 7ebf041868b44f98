package testexec

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"
)

// echoDelay is how long a signal is held back before it is passed on. One that was sent
// to the process group has reached the child, too, which then usually ends by itself; a
// second one could cut its last words short.
const echoDelay = 100 * time.Millisecond

// superviseChild runs the child to its end and passes signals on to it.
func superviseChild(cmd *exec.Cmd) (*os.ProcessState, error) {
	// The child asks the kernel to end it with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bindToParent(cmd)

	signals := make(chan os.Signal, 8)
	for _, sig := range forwarded {
		// A signal that is ignored, as under nohup, stays ignored for the child.
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		forwardSignals(cmd.Process, signals, ended)
	}()
	err := cmd.Wait()
	close(ended)
	<-stopped
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return cmd.ProcessState, nil
}

func forwardSignals(child *os.Process, signals <-chan os.Signal, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case sig := <-signals:
			select {
			case <-ended:
				return
			case <-time.After(echoDelay):
				_ = child.Signal(sig) // it may just have ended, which Wait reports
			}
		}
	}
}
