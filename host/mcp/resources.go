package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/completion"
	"github.com/proctorhq/proctor/host/prose"
)

// The addresses of resources. Models seldom read resources by themselves: each only
// repeats what a tool answers, too.
const (
	runsURI    = "proctor://runs/"
	latestURI  = runsURI + latestRun
	historyURI = "proctor://history"
	// latestRun stands for the last run of the session.
	latestRun = "latest"

	mimeJSON, mimeText = "application/json", "text/plain"
)

// maxLog bounds a log. Its end says how things ended.
const (
	maxLog     = 64 << 10
	maxLogHead = maxLog / 4
)

// addResources offers what is on record as resources. Subscribers to a run are notified
// of its end; subscribers to the latest, of the end of each.
func (s *session) addResources(p *mcp.Server) {
	p.AddResource(&mcp.Resource{
		URI: latestURI, Name: "latest run", MIMEType: mimeJSON,
		Description: "The last run of this session, as get_run has it. Can be subscribed to.",
	}, s.readResource)
	p.AddResource(&mcp.Resource{
		URI: historyURI, Name: "history", MIMEType: mimeJSON,
		Description: "The tests of the workspace worth knowing about, as test_history has them.",
	}, s.readResource)
	for _, t := range []mcp.ResourceTemplate{
		{URITemplate: runsURI + "{run_id}", Name: "run", MIMEType: mimeJSON, Description: "A run, as get_run has it."},
		{URITemplate: runsURI + "{run_id}/log", Name: "log", MIMEType: mimeText, Description: "The runner's own output of a run, shortened; get_test_output has all of it."},
		{URITemplate: runsURI + "{run_id}/tests/{test}/output", Name: "test output", MIMEType: mimeText, Description: "The output of one test, shortened; get_test_output has all of it."},
	} {
		p.AddResourceTemplate(&t, s.readResource)
	}
	for _, f := range reportFiles() {
		p.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: runsURI + "{run_id}/" + f.name, Name: f.name, MIMEType: f.mime, Description: f.description}, s.readResource)
	}
	p.AddReceivingMiddleware(replaceErrors)
	s.jobs.ended = func(id string) {
		// The end of a session waits for its jobs, and a client that does not read can
		// block notifications while it is connected.
		go func() {
			for _, uri := range []string{runsURI + id, latestURI} {
				_ = p.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: uri})
			}
		}()
	}
}

func (s *session) subscribe(context.Context, *mcp.SubscribeRequest) error     { return nil }
func (s *session) unsubscribe(context.Context, *mcp.UnsubscribeRequest) error { return nil }

// complete offers names for an argument, from the record of the session's workspace or else
// of the server's own, as far as that is known without asking a plugin or the client.
func (s *session) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	q, err := completion.Parse(req.Params)
	if err != nil {
		return nil, err
	}
	if j, ok := s.jobs.find("", ""); ok && j.status().run != nil {
		q.Latest = j.status().run.RunID
	}
	where, ok := s.jobs.workspaceOf(q.Run)
	if !ok {
		where, ok = s.noteWhere(ctx)
	}
	if !ok {
		return completion.None(), nil
	}
	return q.Answer(ctx, s.keeper, where)
}

// readResource reads a resource.
func (s *session) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	content, err := s.resource(ctx, req.Session, req.Params.URI)
	if err != nil {
		return nil, err
	}
	content.URI = req.Params.URI
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}, Cacheable: cacheInPrivate()}, nil
}

// cacheInPrivate keeps a workspace's record out of shared caches.
func cacheInPrivate() mcp.Cacheable { return mcp.Cacheable{CacheScope: "private"} }

func (s *session) resource(ctx context.Context, client *mcp.ServerSession, uri string) (*mcp.ResourceContents, error) {
	if uri == historyURI {
		return s.objectResource(ctx, client, uri, testHistory(), nil)
	}
	path, ok := strings.CutPrefix(uri, runsURI)
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		name, err := url.PathUnescape(part)
		ok = ok && err == nil && name != ""
		parts = append(parts, name)
	}
	if !ok {
		return nil, noResource(uri)
	}
	args := map[string]any{}
	if parts[0] != latestRun {
		args["run_id"] = parts[0]
	}
	switch {
	case len(parts) == 1:
		return s.objectResource(ctx, client, uri, getRun(), args)
	case len(parts) == 2 && parts[1] == "log":
		args["output"] = "raw"
		return s.textResource(ctx, client, uri, getRun(), args)
	case len(parts) == 4 && parts[1] == "tests" && parts[3] == "output":
		args["test"], args["max_bytes"] = parts[2], maxLog
		return s.textResource(ctx, client, uri, getTestOutput(), args)
	}
	for _, f := range reportFiles() {
		if len(parts) == 2 && parts[1] == f.name {
			return reportResource(ctx, s, client, uri, f, args)
		}
	}
	return nil, noResource(uri)
}

// objectResource returns a tool's object.
func (s *session) objectResource(ctx context.Context, client *mcp.ServerSession, uri string, t tool, args map[string]any) (*mcp.ResourceContents, error) {
	a, err := s.ask(ctx, client, uri, t, args)
	if err != nil {
		return nil, err
	}
	return objectContents(a)
}

func objectContents(a answer) (*mcp.ResourceContents, error) {
	raw, err := prose.JSON(a.object)
	return &mcp.ResourceContents{MIMEType: mimeJSON, Text: string(raw)}, err
}

// textResource returns the output in a tool's answer.
func (s *session) textResource(ctx context.Context, client *mcp.ServerSession, uri string, t tool, args map[string]any) (*mcp.ResourceContents, error) {
	a, err := s.ask(ctx, client, uri, t, args)
	if err != nil {
		return nil, err
	}
	return textContents(a)
}

func textContents(a answer) (*mcp.ResourceContents, error) {
	var output struct {
		Raw        string `json:"raw"`
		Text       string `json:"text"`
		NextOffset int64  `json:"next_offset"`
		TotalBytes int64  `json:"total_bytes"`
		Message    string `json:"message"`
	}
	raw, err := json.Marshal(a.object)
	if err == nil {
		err = json.Unmarshal(raw, &output)
	}
	text := omitMiddle(output.Raw + output.Text)
	if output.NextOffset > 0 {
		text += fmt.Sprintf("\n[cut at byte %d of %d: get_test_output has the rest]", output.NextOffset, output.TotalBytes)
	}
	if text == "" {
		text = "[nothing was printed]"
		if output.Message != "" {
			text = "[" + output.Message + "]"
		}
	}
	return &mcp.ResourceContents{MIMEType: mimeText, Text: text}, err
}

// ask calls a tool. What it does not know is not a resource.
func (s *session) ask(ctx context.Context, client *mcp.ServerSession, uri string, t tool, args map[string]any) (answer, error) {
	given, err := json.Marshal(args)
	if err != nil {
		return answer{}, err
	}
	a, err := t.handle(ctx, &call{session: s, client: client, tool: t.name, args: given})
	var (
		none      *api.NoRunError
		unknown   *api.UnknownRunError
		noTest    *api.NoTestError
		ambiguous *api.UsageError
		wrong     *arguments.Error
	)
	switch {
	case errors.As(err, &none) && slices.Contains([]string{latestURI, historyURI}, uri):
		return failure(err), nil // it exists, and is still empty
	case errors.As(err, &none), errors.As(err, &unknown), errors.As(err, &noTest), errors.As(err, &ambiguous), errors.As(err, &wrong):
		return answer{}, noResource(uri)
	case err != nil:
		return answer{}, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: failure(err).text[0]}
	}
	return a, nil
}

// replaceErrors is a middleware that replaces the SDK's error for an unknown address: for
// some addresses that is invalid JSON, which breaks the connection.
func replaceErrors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		var wire *jsonrpc.Error
		if read, ok := req.(*mcp.ReadResourceRequest); ok && errors.As(err, &wire) && !json.Valid(wire.Data) {
			err = noResource(read.Params.URI)
		}
		return result, err
	}
}

// noResource is the protocol's error for a resource that does not exist.
func noResource(uri string) error {
	data, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found", Data: data}
}

// omitMiddle leaves out the middle of a log, by lines if it has any.
func omitMiddle(text string) string {
	if len(text) <= maxLog {
		return text
	}
	head, tail := strings.ToValidUTF8(text[:maxLogHead], ""), strings.ToValidUTF8(text[len(text)-(maxLog-maxLogHead):], "")
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	return fmt.Sprintf("%s\n[%d bytes are left out here: get_test_output has all of it]\n%s", head, len(text)-len(head)-len(tail), tail)
}
