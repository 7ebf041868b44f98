package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
)

// The ways of finding a workspace, in order.
const (
	byArgument   = "workspace argument"
	byFlag       = "--workspace"
	byVariable   = directory.ByVariable
	byClaude     = directory.ByClaude
	byWorkingDir = "working directory"
	byRoots      = "roots/list"
)

// placed is a workspace, and how it was found.
type placed struct {
	where   api.Where
	foundBy string
}

// findWhere returns the workspace that a call means: the one that it names, or else the
// server's.
func (c *call) findWhere(ctx context.Context, workspace string) (api.Where, error) {
	c.session.hearOf(workspace)
	p, err := c.findPlace(ctx, workspace)
	return p.where, err
}

// whereRun is [call.findWhere] for a tool about a run: if the call names no workspace, it
// is that of the run, or of the session's newest if id is empty. A run unknown to the
// session is looked for in the server's.
func (c *call) whereRun(ctx context.Context, workspace, id string) (api.Where, error) {
	if workspace == "" {
		if where, ok := c.session.jobs.workspaceOf(id); ok {
			return where, nil
		}
	}
	return c.findWhere(ctx, workspace)
}

// workspaceOf returns the workspace of a run of the session or, without an id, of its
// last.
func (s *jobs) workspaceOf(id string) (api.Where, bool) {
	j, ok := s.find(id, "")
	if !ok || j.where.Dir == "" {
		return api.Where{}, false
	}
	return j.where, true
}

// findPlace finds the workspace that a call means.
func (c *call) findPlace(ctx context.Context, workspace string) (placed, error) {
	if workspace == "" {
		return c.defaultPlace(ctx)
	}
	at := c.session.server.cfg.Place
	base := ""
	if !filepath.IsAbs(at.InHome(workspace)) {
		var err error
		if base, err = c.findBase(ctx); err != nil {
			return placed{}, err
		}
	}
	dir, err := at.Resolve(base, workspace)
	if err != nil {
		return placed{}, err
	}
	if !at.IsAllowed(dir) {
		return placed{}, &arguments.Error{Reason: fmt.Sprintf("workspace %s is outside the directories that this server was started with (--workspace): %s; name a directory inside one",
			directory.Name(dir), strings.Join(at.Allowed, ", "))}
	}
	c.session.remember(dir)
	return placed{api.Where{Dir: dir, Exact: true}, byArgument}, nil
}

// findBase returns what a relative workspace is relative to: the server's own.
func (c *call) findBase(ctx context.Context) (string, error) {
	p, err := c.defaultPlace(ctx)
	var none *noPlaceError
	switch {
	case errors.As(err, &none):
		return serverDir(c) // which may be above projects
	case err != nil:
		return "", err
	case p.where.Exact:
		return p.where.Dir, nil
	}
	return c.session.keeper.Root(ctx, p.where)
}

// defaultPlace returns the server's workspace. An explicit setting must be valid; a
// directory that was only discovered, such as the working directory, is skipped if it has
// no project.
func (c *call) defaultPlace(ctx context.Context) (placed, error) {
	missing := &noPlaceError{}
	if p, ok, err := c.ownPlace(ctx, missing); ok || err != nil {
		return p, err
	}
	if dir, reason := c.clientRoot(ctx); reason != "" {
		missing.add(byRoots, reason)
	} else if p, ok, err := c.discoverPlace(ctx, byRoots, dir, missing); ok || err != nil {
		return p, err
	}
	if err := ctx.Err(); err != nil {
		return placed{}, err
	}
	return placed{}, missing
}

// ownPlace returns the server's workspace as far as it can be found without asking the
// client; ok is false if it cannot.
func (c *call) ownPlace(ctx context.Context, missing *noPlaceError) (p placed, ok bool, err error) {
	at := c.session.server.cfg.Place
	if len(at.Allowed) > 0 {
		p, err := c.explicitPlace(byFlag, at.Allowed[0], missing)
		return p, err == nil, err
	}
	missing.add(byFlag, "not given")
	if dir := workspace.Getenv(at.Env, byVariable); dir != "" {
		p, err := c.explicitPlace(byVariable, dir, missing)
		return p, err == nil, err
	}
	missing.add(byVariable, "not set")
	if dir := workspace.Getenv(at.Env, byClaude); dir == "" {
		missing.add(byClaude, "not set")
	} else if p, ok, err := c.discoverPlace(ctx, byClaude, dir, missing); ok || err != nil {
		return p, ok, err
	}
	return c.discoverPlace(ctx, byWorkingDir, at.Dir, missing)
}

// explicitPlace returns an explicitly set workspace.
func (c *call) explicitPlace(by, dir string, missing *noPlaceError) (placed, error) {
	at := c.session.server.cfg.Place
	resolved, err := at.Resolve(at.Dir, dir)
	if err != nil {
		missing.add(by, err.Error())
		return placed{}, missing
	}
	return placed{api.Where{Dir: resolved, Exact: true}, by}, nil
}

// discoverPlace returns the workspace around a directory that nobody has set, if there is one.
func (c *call) discoverPlace(ctx context.Context, by, dir string, missing *noPlaceError) (p placed, ok bool, err error) {
	at := c.session.server.cfg.Place
	resolved, err := at.Resolve(at.Dir, dir)
	if err != nil {
		missing.add(by, err.Error())
		return placed{}, false, nil
	}
	p = placed{api.Where{Dir: resolved}, by}
	root, err := c.session.server.roots.Find(resolved, func() (string, error) {
		return c.session.keeper.Root(ctx, api.Where{Dir: resolved})
	})
	var none *api.NoProjectError
	switch {
	case err == nil:
		return placed{api.Where{Dir: root, Exact: true}, by}, true, nil
	case ctx.Err() != nil:
		return placed{}, false, ctx.Err()
	case errors.As(err, &none) && !c.session.keeper.Recorded(p.where):
		missing.add(by, noMarker(none))
		return placed{}, false, nil
	}
	return p, true, nil // its record can be read, or the call reports the error
}

// nameWorkspace says in both forms of an answer which workspace it is about, if that is
// not the server's own.
func (c *call) nameWorkspace(ctx context.Context, where api.Where, a answer) (answer, error) {
	if dir := c.session.nameElsewhere(where.Dir); dir != "" {
		a.text = append(a.text, "this is "+otherPlace(dir))
		a.object = locatedObject{a.object, dir}
	}
	return a, ctx.Err()
}

// locatedObject is the object of an answer with the workspace appended.
type locatedObject struct {
	object    any
	workspace string
}

// MarshalJSON implements [json.Marshaler].
func (l locatedObject) MarshalJSON() ([]byte, error) {
	raw, err := prose.JSON(l.object)
	if err != nil {
		return nil, err
	}
	name, err := prose.JSON(l.workspace)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimSuffix(bytes.TrimSpace(raw), []byte("}"))
	if !bytes.HasSuffix(raw, []byte("{")) {
		raw = append(raw, ',')
	}
	raw = append(append(raw, `"workspace":`...), bytes.TrimSpace(name)...)
	return append(raw, '}'), nil
}

// noPlaceError reports that no workspace was found for a call that names none, and
// where it was looked for.
type noPlaceError struct{ tried []attempt }

// attempt is one way of finding a workspace, and why it failed.
type attempt struct{ by, reason string }

func (e *noPlaceError) add(by, reason string) { e.tried = append(e.tried, attempt{by, reason}) }

func (e *noPlaceError) Error() string {
	var b strings.Builder
	b.WriteString("The server has no workspace. It looked, in this order, at:\n")
	for _, a := range e.tried {
		fmt.Fprintf(&b, "- %s: %s\n", a.by, limits.Cut(a.reason, maxReason, prose.Line))
	}
	b.WriteString(`Name the directory of the project in the call: "workspace": "/absolute/path". ` +
		"For all calls, your user can set PROCTOR_WORKSPACE in the server's environment.")
	return b.String()
}

// maxReason bounds a reason, which may contain a client's words.
const maxReason = 1 << 10

// Unwrap makes it the error of a workspace without a project, which it is to an agent.
func (e *noPlaceError) Unwrap() error { return &api.NoProjectError{} }

// noMarker explains that there is no project around a directory.
func noMarker(none *api.NoProjectError) string {
	if len(none.Markers) == 0 || len(none.Looked) < 2 {
		return none.Found()
	}
	return none.Found() + ", nor has a directory above it"
}

// rootsWait bounds how long a client may take to report its roots. Some never answer.
const rootsWait = 2 * time.Second

// withoutRoots is the first version of the protocol in which servers send no requests
// to clients.
const withoutRoots = "2026-07-28"

// clientRoot returns the one directory that the client works in, or why there is none.
func (c *call) clientRoot(ctx context.Context) (dir, reason string) {
	if c.client == nil {
		return "", "there is no client to ask"
	}
	params := c.client.InitializeParams()
	if params != nil && params.ProtocolVersion >= withoutRoots {
		return "", "protocol version " + params.ProtocolVersion + " has no such request"
	}
	//lint:ignore SA1019 older clients have nothing else to say it with
	if params == nil || params.Capabilities == nil || params.Capabilities.RootsV2 == nil {
		return "", "the client does not report its roots"
	}
	ctx, cancel := context.WithTimeout(ctx, rootsWait)
	defer cancel()
	//lint:ignore SA1019 as above
	answer, err := c.client.ListRoots(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			return "", fmt.Sprintf("the client did not answer within %v", rootsWait)
		}
		return "", "the client did not report its roots: " + err.Error()
	}
	var uris []string
	for _, root := range answer.Roots {
		uris = append(uris, root.URI)
	}
	if len(uris) != 1 {
		return "", strings.TrimSuffix(fmt.Sprintf("the client has %d roots, and exactly one is needed: %s", len(uris), strings.Join(uris, ", ")), ": ")
	}
	if dir = directory.OfURI(uris[0]); dir == "" {
		return "", uris[0] + " is not the URI of a directory of this machine"
	}
	return dir, ""
}
