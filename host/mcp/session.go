package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/workspace"
)

// session is one client's: what it ran last, what it runs, what it is told.
type session struct {
	server *Server
	// host speaks in this session.
	host *ledger.Keeper
	desk *desk
	// single: there is no later call in it.
	single bool
	// elsewhere: some call has named a workspace, so that answers have to say which.
	elsewhere atomic.Bool
}

// call is one call of a tool.
type call struct {
	session *session
	// tool is the name of the tool, and args are its arguments as they were given.
	tool string
	args json.RawMessage
	// client is who calls; nil where the call came without a connection.
	client *mcp.ServerSession
	// token is what progress is reported under; nil is not asked for.
	token any
}

func (s *Server) session(h *ledger.Keeper) *session {
	d := newDesk(s.cfg.Lease)
	d.watch = func(ctx context.Context, where api.Where) *ledger.SourceWatch {
		return ledger.WatchSources(ctx, h, where)
	}
	return &session{server: s, host: h, desk: d}
}

// end stops what the session still runs, and waits for it.
func (s *session) end() { s.desk.close() }

// call executes a tool. What goes wrong in it is an answer: a protocol error would
// not reach the model.
func (s *session) call(ctx context.Context, t tool, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := &call{session: s, client: req.Session, tool: t.name, args: req.Params.Arguments, token: req.Params.GetProgressToken()}
	a, err := soundly(func() (answer, error) { return t.handle(ctx, c) })
	if err == nil {
		return a.result()
	}
	a = failure(err)
	var none *api.NoRunError
	if errors.As(err, &none) {
		// That nothing was run yet must not be all that is said after a call that failed.
		if line := s.desk.refused(""); line != "" {
			a.add(line)
		}
	}
	return a.result()
}

// names notes that a call names a workspace.
func (c *call) names(workspace string) {
	if workspace != "" {
		c.session.elsewhere.Store(true)
	}
}

// elsewhere is the name of a workspace that is not the server's own, which an answer
// has to say; else it is empty.
func (c *call) elsewhere(dir string) string {
	if !filepath.IsAbs(dir) || !c.session.elsewhere.Load() || c.session.server.isOwn(dir) {
		return ""
	}
	return placeName(dir)
}

// isOwn reports whether a workspace is known to be what a call gets that names none. To
// answer about a run no plugin is started: what has not been found out is not known.
func (s *Server) isOwn(dir string) bool {
	at := s.cfg.Place
	set := workspace.Getenv(at.Env, byVariable)
	if len(at.Allowed) > 0 {
		set = at.Allowed[0]
	}
	if set != "" {
		own, err := at.resolve(at.Dir, set)
		return err == nil && own == dir
	}
	for _, from := range []string{workspace.Getenv(at.Env, byClaude), at.Dir} {
		if from == "" {
			continue
		}
		from, err := at.resolve(at.Dir, from)
		if err != nil {
			continue
		}
		s.roots.mu.Lock()
		root, known := s.roots.known[from]
		s.roots.mu.Unlock()
		if known || from == dir {
			return root == dir || from == dir
		}
	}
	return false
}

// otherPlace says in which workspace something is that is not in the server's own;
// else it is empty.
func otherPlace(name string) string {
	if name == "" {
		return ""
	}
	return "in workspace " + name
}
