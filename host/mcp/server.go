package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/mcp/prompts"
	"github.com/proctorhq/proctor/host/mcp/tasks"
)

// Config is what a Server needs.
type Config struct {
	// Keeper runs the tests. The server ends neither it nor what it started.
	Keeper *ledger.Keeper
	// Version is the version of proctor.
	Version string
	// Place is where the process was started, which determines the workspace of a call
	// that names none.
	Place directory.Server
	// RunCode is the code of a run that is not a pass, and whether the same run may pass
	// later; an empty code is none. Nil is no code for any run.
	RunCode func(api.Run) (code string, retry bool)
	// NewSession names a session; it is called for each connection.
	NewSession func() string
	// Heartbeat is how often, at least, a client that requested progress receives it.
	// Lease is how long a run continues after the client that waited for it has
	// cancelled its call. Introduction is how long the history may take to contribute to
	// what a client is told at the start, which delays it. Zero means the default.
	Heartbeat, Lease, Introduction time.Duration
}

// Defaults of the times in a Config.
const (
	defaultHeartbeat    = 5 * time.Second
	defaultLease        = 5 * time.Minute
	defaultIntroduction = 60 * time.Millisecond
)

// Server offers a Keeper to agents. It is safe for concurrent use.
type Server struct {
	cfg   Config
	tools []tool
	roots directory.Roots
	// rest gives memory back to the system some time after a call.
	rest *time.Timer
}

// restAfter is how long a server is idle before it gives memory back: longer than an agent
// takes from one quick call to the next, which may also be hours away.
const restAfter = 5 * time.Second

// New returns a Server. It starts nothing, so that a client gets its first answer
// immediately.
func New(cfg Config) *Server {
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = defaultHeartbeat
	}
	if cfg.Lease == 0 {
		cfg.Lease = defaultLease
	}
	if cfg.Introduction == 0 {
		cfg.Introduction = defaultIntroduction
	}
	s := &Server{cfg: cfg, tools: tools(), rest: time.AfterFunc(restAfter, debug.FreeOSMemory)}
	s.rest.Stop() // until a call
	return s
}

// Serve serves one client until it disconnects or ctx ends. Then it stops the runs of
// the session, and returns when they have ended.
func (s *Server) Serve(ctx context.Context, t mcp.Transport) error {
	session := s.connection(false)
	defer session.end()
	return s.protocol(session, true).Run(ctx, tasks.Transport(t))
}

// Call executes a tool like a client's call, in the session of the Keeper. It returns the
// answer when the run that the call began has ended, too, even if the answer does not
// wait for it. The end of ctx stops the run, and is not an error.
func (s *Server) Call(ctx context.Context, name string, args json.RawMessage) (*mcp.CallToolResult, error) {
	session := s.session(s.cfg.Keeper)
	session.single = true
	defer session.end()
	i := slices.IndexFunc(s.tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		return nil, &UnknownToolError{Name: name, Known: s.names()}
	}
	defer func() {
		stopped := context.AfterFunc(ctx, session.jobs.stop)
		defer stopped()
		session.jobs.drain()
	}()
	return session.call(ctx, s.tools[i], &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: args}})
}

// UnknownToolError reports that there is no such tool.
type UnknownToolError struct {
	Name  string
	Known []string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("there is no tool %q; the tools are %s", e.Name, strings.Join(e.Known, ", "))
}

func (s *Server) names() []string {
	var names []string
	for _, t := range s.tools {
		names = append(names, t.name)
	}
	return names
}

// longTools returns the names of the tools that can be called as tasks.
func (s *Server) longTools() []string {
	var names []string
	for _, t := range s.tools {
		if t.long {
			names = append(names, t.name)
		}
	}
	return names
}

// setsWait reports whether the arguments of a call say how long it waits.
func setsWait(args json.RawMessage) bool {
	return arguments.Gives(new(answering).waitParam(), args)
}

// Tools returns the definitions of the tools, in the order in which clients see them, with
// all parameters that there may be.
func (s *Server) Tools() []*mcp.Tool {
	var all []*mcp.Tool
	for _, t := range s.tools {
		all = append(all, t.definition(true))
	}
	return all
}

// protocol creates the SDK's server for a session. Of what it offers, only the parameters
// of tools change: see [offer]. own means that the session has one client, which is told
// that, and what is logged.
func (s *Server) protocol(session *session, own bool) *mcp.Server {
	capabilities := &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{ListChanged: own}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: true},
	}
	if own {
		//lint:ignore SA1019 the protocol deprecates logging in 2026-07-28; clients of older versions have nothing else.
		capabilities.Logging = &mcp.LoggingCapabilities{}
	}
	p := mcp.NewServer(&mcp.Implementation{Name: "proctor", Title: "proctor", Version: s.cfg.Version}, &mcp.ServerOptions{
		Instructions:       instructions,
		Capabilities:       capabilities,
		SubscribeHandler:   session.subscribe,
		UnsubscribeHandler: session.unsubscribe,
		CompletionHandler:  session.complete,
	})
	offer := newOffer(session, p)
	offer.add(false)
	session.addResources(p)
	prompts.Add(p)
	p.AddReceivingMiddleware(session.introduce, offer.adapt)
	if own {
		p.AddReceivingMiddleware(session.logs.Serve)
	}
	session.tasks.Add(p) // after all that handles a call, such as by its log
	return p
}

// ServePipe is like [Server.Serve] for a client that may stop reading: an answer that
// nobody takes blocks the SDK's end of the connection. When over is closed, the runs of
// the session are stopped, whatever the connection does. The transport must end then,
// too: ServePipe returns when both have.
func (s *Server) ServePipe(ctx context.Context, t mcp.Transport, over <-chan struct{}) error {
	session := s.connection(false)
	defer session.end()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-over:
			session.jobs.stop()
		case <-ended:
		}
	}()
	return s.protocol(session, true).Run(ctx, tasks.Transport(t))
}
