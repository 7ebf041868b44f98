package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/mcp/logs"
	"github.com/proctorhq/proctor/host/mcp/tasks"
)

// session is the state of one client's session.
type session struct {
	server *Server
	// keeper operates in this session.
	keeper *ledger.Keeper
	jobs   *jobs
	// tasks are the calls that its client made as tasks.
	tasks *tasks.Set
	// logs sends the client what is logged in the session; nil without a client.
	logs *logs.Stream
	// single means that there will be no later call.
	single bool
	// elsewhere means that some call has named a workspace, so that answers must say
	// which they are about.
	elsewhere atomic.Bool

	mu sync.Mutex
	// named are the workspaces that calls have named.
	named map[string]bool
}

// call is one call of a tool.
type call struct {
	session *session
	// tool is the name of the tool, and args are its arguments as given.
	tool string
	args json.RawMessage
	// client is the caller, or nil if the call came without a connection.
	client *mcp.ServerSession
	// token identifies the call in progress reports; nil if they are not requested.
	token any
	// offset is where the page of results begins that it asks for.
	offset int
}

func (s *Server) session(k *ledger.Keeper) *session {
	d := newJobs(s.cfg.Lease)
	d.watch = func(ctx context.Context, where api.Where) *ledger.SourceWatch {
		return ledger.WatchSources(ctx, k, where)
	}
	return &session{server: s, keeper: k, jobs: d, tasks: tasks.New(setsWait, s.longTools()...)}
}

// connection makes the session of a client. shared means that other sessions use the same
// plugins.
func (s *Server) connection(shared bool) *session {
	session := s.session(s.cfg.Keeper.InSession(s.cfg.NewSession()))
	session.logs = logs.New(s.cfg.Place.Env)
	cfg := &session.keeper.Cfg
	cfg.Logger = session.logs.Logger(cfg.Logger)
	if !shared {
		cfg.PluginLogger = cfg.Logger
	}
	return session
}

// end stops what the session still runs, and waits for it.
func (s *session) end() {
	s.jobs.close()
	s.tasks.Close()
	if s.logs != nil {
		s.logs.Close()
	}
}

// call executes a tool. Its errors become answers: a protocol error would not reach the
// model.
func (s *session) call(ctx context.Context, t tool, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	defer s.server.rest.Reset(restAfter)
	c := &call{session: s, client: req.Session, tool: t.name, args: req.Params.Arguments, token: req.Params.GetProgressToken()}
	a, err := recoverPanic(func() (answer, error) { return t.handle(ctx, c) })
	if err == nil {
		return a.result()
	}
	a = failure(orChoices(ctx, c, err))
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		// After a failed call, "nothing has run yet" must not be the whole answer.
		if line := s.jobs.refusalIn(""); line != "" {
			a.addLine(line)
		}
	}
	return a.result()
}

// maxNamed bounds the workspaces that a session remembers to have been named.
const maxNamed = 64

// remember remembers a workspace that a call has named.
func (s *session) remember(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.named == nil {
		s.named = map[string]bool{}
	}
	if len(s.named) < maxNamed {
		s.named[dir] = true
	}
}

// hearOf records that a call names a workspace.
func (s *session) hearOf(workspace string) {
	if workspace != "" {
		s.elsewhere.Store(true)
	}
}

// nameElsewhere returns the name of a workspace other than the server's own, which an
// answer must mention, or "".
func (s *session) nameElsewhere(dir string) string {
	if !filepath.IsAbs(dir) || !s.elsewhere.Load() || s.server.cfg.Place.IsOwn(dir, &s.server.roots) {
		return ""
	}
	return directory.Name(dir)
}

// otherPlace names a workspace other than the server's own, or returns "".
func otherPlace(name string) string {
	if name == "" {
		return ""
	}
	return "in workspace " + name
}
