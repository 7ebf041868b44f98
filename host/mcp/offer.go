package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/mcp/toollist"
	"github.com/proctorhq/proctor/host/workspace"
)

// offer is what a client is offered of the tools: the parameters of Foundry's projects only
// once there is one, because a model reads all definitions in every conversation.
type offer struct {
	session *session
	server  *mcp.Server

	mu sync.Mutex
	// listed means that the client has the list, and foundry that a project was found.
	listed, foundry bool
}

func newOffer(s *session, p *mcp.Server) *offer { return &offer{session: s, server: p} }

// add adds the tools. If they were added before, the SDK notifies the client.
func (o *offer) add(foundry bool) {
	for _, t := range o.session.server.tools {
		o.server.AddTool(t.definition(foundry), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return o.session.call(ctx, t, req)
		})
	}
}

// adapt looks for a project of Foundry when a client lists the tools, and after each call,
// which may have named a workspace with one.
func (o *offer) adapt(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			o.find(true)
		}
		result, err := next(ctx, method, req)
		if method == "tools/call" {
			o.find(false)
		}
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			return toollist.List{ListToolsResult: list, Tasks: o.session.tasks.Tools(req)}, nil
		}
		return result, err
	}
}

// find adds the parameters of Foundry's projects once there is one.
func (o *offer) find(listing bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.foundry || !listing && !o.listed {
		return
	}
	o.listed = true
	if o.foundry = o.session.hasFoundry(); o.foundry {
		o.add(true)
	}
}

// hasFoundry reports whether there is a project of Foundry in, above or directly below the
// server's directories, or in one that a call has named. It starts no plugin to find out.
func (s *session) hasFoundry() bool {
	at := s.server.cfg.Place
	dirs := append([]string{workspace.Getenv(at.Env, byVariable), workspace.Getenv(at.Env, byClaude), at.Dir}, at.Allowed...)
	s.mu.Lock()
	dirs = append(dirs, slices.Collect(maps.Keys(s.named))...)
	s.mu.Unlock()
	return slices.ContainsFunc(dirs, at.HasFoundry)
}
