package process

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// startLimit is how long a plugin may take to greet.
	startLimit = 10 * time.Second
	// endLimit is how long it may take to end after its lifeline did.
	endLimit = 2 * time.Second
)

// Session is a running plugin to talk to.
type Session struct {
	room    *Room
	process *Process
	// Conn is the connection to it.
	Conn *grpc.ClientConn
}

// Open starts a plugin in private directories and connects to it.
func Open(ctx context.Context, path string) (*Session, error) {
	room, err := NewRoom()
	if err != nil {
		return nil, err
	}
	s := &Session{room: room}
	s.process, err = Start(ctx, Config{Path: path, Dir: room.Work, Env: room.Environment(strconv.Itoa(sdk.ProtocolVersion))})
	if err != nil {
		room.Close()
		return nil, err
	}
	greeting, err := s.process.Greeting(ctx, startLimit)
	if err == nil {
		s.Conn, err = Dial(greeting, nil)
	}
	if err != nil {
		s.Close(ctx)
		return nil, err
	}
	return s, nil
}

// Stderr returns the end of what the plugin printed to standard error.
func (s *Session) Stderr() string { return s.process.Stderr() }

// Close ends the plugin and removes its directories.
func (s *Session) Close(ctx context.Context) {
	if s.Conn != nil {
		_ = s.Conn.Close()
	}
	s.process.CloseStdin()
	s.process.WaitFor(ctx, endLimit)
	s.process.Kill()
	s.room.Close()
}
