package sdk

import (
	"io"
	"os"
	"time"

	"google.golang.org/grpc"
)

// lifelineGrace is how long the server may take to stop after the host is gone.
// Nobody waits for it any more; it only removes its socket.
const lifelineGrace = time.Second

// stopAtEnd stops the server at the end of lifeline, which the host holds open
// for as long as it lives.
func stopAtEnd(lifeline io.Reader, s *grpc.Server) {
	_, _ = io.Copy(io.Discard, lifeline)
	time.AfterFunc(lifelineGrace, func() { os.Exit(0) })
	s.Stop()
}
