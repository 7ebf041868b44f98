package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServePipe is [Server.Serve] for a client that may stop reading what it is told: an
// answer that nobody takes holds up the SDK's end of the connection. When over is
// closed, the runs of the session are stopped, whatever the connection does. It is
// for the transport to end then, too: ServePipe returns when both have.
func (s *Server) ServePipe(ctx context.Context, t mcp.Transport, over <-chan struct{}) error {
	session := s.session(s.cfg.Host.InSession(s.cfg.NewSession()))
	defer session.end()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-over:
			session.desk.stop()
		case <-ended:
		}
	}()
	return s.protocol(session).Run(ctx, t)
}
