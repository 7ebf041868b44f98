package mcp

//lint:file-ignore SA1019 the protocol deprecates logging in 2026-07-28; clients of older versions have nothing else.

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/head"
	"github.com/proctorhq/proctor/host/mcp/trace"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/query"
)

// listen serves a site over HTTP.
func (s *site) listen(t testing.TB, cfg HTTPConfig) (address string, h *HTTP) {
	t.Helper()
	h = s.server.HTTP(cfg)
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + HTTPPath, h
}

// dialHTTP connects a client over HTTP.
func dialHTTP(t testing.TB, address string, options *mcp.ClientSessionOptions) *client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := &client{}
	m := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{LoggingMessageHandler: c.hearLog})
	session, err := m.Connect(context.WithoutCancel(t.Context()), &mcp.StreamableClientTransport{
		Endpoint: address, HTTPClient: &http.Client{Transport: transport},
	}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	c.session = session
	return c
}

const (
	helloOld = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	askRun   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_run","arguments":{}}}`
)

// post sends a message as is and returns the answer.
func post(t testing.TB, address, body string, headers ...string) (status int, header http.Header, text string) {
	t.Helper()
	return roundTrip(t, http.MethodPost, address, body, headers...)
}

// roundTrip is post by any method. A stream that nothing ends is an error of the test.
func roundTrip(t testing.TB, method, address, body string, headers ...string) (status int, header http.Header, text string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s is answered with status %d, and the answer does not end: %v", method, resp.StatusCode, err)
	}
	return resp.StatusCode, resp.Header, string(raw)
}

func TestHTTPRefusesForeignAndInvalidRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	address, _ := s.listen(t, HTTPConfig{})
	const token = "0123456789abcdef"
	guarded, _ := s.listen(t, HTTPConfig{Token: token})
	for name, c := range map[string]struct {
		address, body string
		headers       []string
		status        int
	}{
		"nothing wrong":                    {address, helloOld, nil, 200},
		"own origin":                       {address, helloOld, []string{"Origin", strings.TrimSuffix(address, HTTPPath)}, 200},
		"a page's origin":                  {address, helloOld, []string{"Origin", "http://evil.example"}, 403},
		"a page, as the browser says":      {address, helloOld, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"no origin worth the name":         {address, helloOld, []string{"Origin", "null"}, 403},
		"a name that points here":          {address, helloOld, []string{"Host", "evil.example"}, 403},
		"another path":                     {strings.TrimSuffix(address, "/mcp") + "/", helloOld, nil, 404},
		"too long":                         {address, strings.Repeat(" ", maxBody+1), nil, 413},
		"too long, in the newest version":  {address, strings.Repeat(" ", maxBody+1), []string{"Mcp-Protocol-Version", head.Stateless}, 413},
		"a session that is not":            {address, askRun, []string{"Mcp-Session-Id", "x"}, 404},
		"no session":                       {address, askRun, nil, 400},
		"no token":                         {guarded, helloOld, nil, 401},
		"another token":                    {guarded, helloOld, []string{"Authorization", "Bearer 0123456789abcdeF"}, 401},
		"the beginning of the token":       {guarded, helloOld, []string{"Authorization", "Bearer 0123456789abcde"}, 401},
		"the token as something else":      {guarded, helloOld, []string{"Authorization", "Basic " + token}, 401},
		"an empty token":                   {guarded, helloOld, []string{"Authorization", "Bearer "}, 401},
		"the token":                        {guarded, helloOld, []string{"Authorization", "Bearer " + token}, 200},
		"the token, from a page elsewhere": {guarded, helloOld, []string{"Authorization", "Bearer " + token, "Origin", "http://evil.example"}, 403},
		"no token, for the newest version": {guarded, askRun, []string{"Mcp-Protocol-Version", head.Stateless}, 401},
	} {
		status, _, text := post(t, c.address, c.body, c.headers...)
		if status != c.status {
			t.Errorf("%s: status %d, want %d: %s", name, status, c.status, text)
		}
	}
	if status, _, _ := roundTrip(t, http.MethodGet, address, "", "Origin", "http://evil.example"); status != 403 {
		t.Errorf("a page may read: status %d", status)
	}
}

// Whoever learns the id of a session can do nothing with it without the token, nor can a page
// that points its own name to this machine.
func TestASessionsIDAloneGivesNoAccess(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef"
	s := newShellSite(t, files{"a.tests": shellTests("TestA", "sleep 3600")})
	address, _ := s.listen(t, HTTPConfig{Token: token})
	owner := []string{"Authorization", "Bearer " + token}
	_, header, _ := post(t, address, helloOld, owner...)
	id := []string{"Mcp-Session-Id", header.Get("Mcp-Session-Id")}
	owner = append(owner, id...)
	post(t, address, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, owner...)
	const begin = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run_tests","arguments":{"wait":0}}}`
	if status, _, text := post(t, address, begin, owner...); status != 200 || !strings.Contains(text, "get_run") {
		t.Fatalf("status %d: %s", status, text)
	}
	page := append([]string{"Host", "evil.example"}, owner...)
	for name, headers := range map[string][]string{
		"no token": id, "another token": append([]string{"Authorization", "Bearer fedcba9876543210"}, id...), "a page": page,
		"the newest version": append([]string{"Mcp-Protocol-Version", head.Stateless}, id...),
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			body := ""
			if method == http.MethodPost {
				body = strings.Replace(begin, "run_tests", "cancel_run", 1)
			}
			if status, _, text := roundTrip(t, method, address, body, headers...); status != 401 && status != 403 {
				t.Errorf("%s, %s: status %d: %s", name, method, status, text)
			}
		}
	}
	_, _, text := post(t, address, strings.Replace(begin, "run_tests", "get_run", 1), owner...)
	if strings.Contains(text, "cancelled") || !strings.Contains(text, "get_run") {
		t.Errorf("the run of the session's owner: %s", text)
	}
}

func TestEachHTTPSessionIsAProctorSession(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestA", bad)})
	address, h := s.listen(t, HTTPConfig{})
	one := dialHTTP(t, address, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	other := dialHTTP(t, address, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	newest := dialHTTP(t, address, nil)
	if got := newest.session.InitializeResult().ProtocolVersion; got != head.Stateless {
		t.Fatalf("the newest version is %q", got)
	}
	run := one.call(t, "run_tests", nil)
	if run.str("status") != "failed" {
		t.Fatalf("%s", run.raw)
	}
	none := "no run_tests call yet in this session"
	other.call(t, "last_test_failures", nil).says(t, none, false)
	newest.call(t, "last_test_failures", nil).says(t, none, false)
	if got := one.call(t, "last_test_failures", nil).str("run_id"); got != run.str("run_id") {
		t.Errorf("the session's last run is %q", got)
	}
	// The version without sessions remembers, too.
	run = newest.call(t, "run_tests", nil)
	if got := dialHTTP(t, address, nil).call(t, "last_test_failures", nil).str("run_id"); got != run.str("run_id") {
		t.Errorf("the last run of those without a session is %q, want %q", got, run.str("run_id"))
	}
	one.session.Close()
	until(t, "the end of a session", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.sessions) == 1
	})
}

func TestAnHTTPSessionIsToldOnlyOfItself(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestA", "true")})
	address, _ := s.listen(t, HTTPConfig{})
	one := dialHTTP(t, address, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	other := dialHTTP(t, address, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	newest := dialHTTP(t, address, nil)
	for _, c := range []*client{one, other} {
		if err := c.session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
			t.Fatal(err)
		}
	}
	if newest.session.InitializeResult().Capabilities.Logging != nil {
		t.Error("those without a session share one, and are promised its log")
	}
	var runs []string
	for _, c := range []*client{one, other} {
		id := c.call(t, "run_tests", nil).str("run_id")
		until(t, "the log of a run", func() bool { return strings.Contains(c.logs(), "a run has ended") })
		runs = append(runs, id)
	}
	for i, c := range []*client{one, other} {
		if log := c.logs(); !strings.Contains(log, runs[i]) || strings.Contains(log, runs[1-i]) || strings.Contains(log, "plugin.go") {
			t.Errorf("the client of %s was told %s", runs[i], log)
		}
	}
}

// The session that started a plugin must not hear what others do with it.
func TestAPluginThatSessionsShareLogsToTheServerOnly(t *testing.T) {
	t.Parallel()
	var kept safeBuffer
	log := func(h *project.Config, _ *Config) {
		h.Logger = hclog.New(&hclog.LoggerOptions{Name: "proctor", Level: hclog.Warn, Output: &kept})
	}
	s := newSite(t, files{"a_test.go": tests("TestA", "")}, withoutGo(), withPlugin(t, fakePanics), log)
	address, _ := s.listen(t, HTTPConfig{})
	one := dialHTTP(t, address, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err := one.session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
		t.Fatal(err)
	}
	one.call(t, "list_tests", nil)
	if strings.Contains(kept.String(), "restarting the plugin") {
		t.Fatalf("the plugin broke down too early:\n%s", kept.String())
	}
	dialHTTP(t, address, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}).call(t, "run_tests", nil)
	if text := kept.String(); !strings.Contains(text, "proctor.plugin.panics: restarting the plugin") {
		t.Errorf("the server logged:\n%s", text)
	}
	one.call(t, "run_tests", nil)
	until(t, "the log of a run", func() bool { return strings.Contains(one.logs(), "a run has ended") })
	if log := one.logs(); strings.Contains(log, "plugin") {
		t.Errorf("the session that started the plugin was told %s", log)
	}
}

func TestTheEndOfAnHTTPSessionStopsItsRuns(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestA", held)})
	address, h := s.listen(t, HTTPConfig{})
	defer s.hold(t)()
	_, header, _ := post(t, address, helloOld)
	id := header.Get("Mcp-Session-Id")
	post(t, address, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		post(t, address, strings.Replace(askRun, "get_run", "run_tests", 1), "Mcp-Session-Id", id)
	}()
	until(t, "the test", s.isHeld)
	if status, _, text := roundTrip(t, http.MethodDelete, address, "", "Mcp-Session-Id", id); status != http.StatusNoContent {
		t.Errorf("status %d: %s", status, text)
	}
	<-answered
	runs, err := query.Runs(t.Context(), s.keeper, api.RunsRequest{Where: api.Where{Dir: s.dir}})
	if err != nil || len(runs.Runs) != 1 || runs.Runs[0].State != api.StateFinished || runs.Runs[0].Verdict == api.Passed {
		t.Errorf("%v: the runs are %+v", err, runs.Runs)
	}
	until(t, "the end of the session", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.sessions) == 0
	})
}

func TestAnIdleHTTPSessionIsForgottenUnlessItRunsSomething(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestA", held)})
	address, h := s.listen(t, HTTPConfig{})
	release := s.hold(t)
	_, header, _ := post(t, address, helloOld)
	id := header.Get("Mcp-Session-Id")
	post(t, address, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
	// The run goes on after the call that started it.
	begin := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_tests","arguments":{"wait":0.001}}}`
	if _, _, text := post(t, address, begin, "Mcp-Session-Id", id); !strings.Contains(text, "get_run") {
		t.Fatalf("%s", text)
	}
	until(t, "the test", s.isHeld)
	h.mu.Lock()
	session := h.sessions[0]
	h.mu.Unlock()
	isIdle := func() bool { _, idle := session.idleSince(); return idle }
	if isIdle() {
		t.Error("a session that runs something is idle")
	}
	h.endIdle(time.Now().Add(2 * idleTime))
	if status, _, text := post(t, address, askRun, "Mcp-Session-Id", id); status != 200 {
		t.Fatalf("the session with a run is gone: %d %s", status, text)
	}
	release()
	until(t, "the end of the run", isIdle)
	h.endIdle(time.Now().Add(idleTime / 2))
	if status, _, text := post(t, address, askRun, "Mcp-Session-Id", id); status != 200 {
		t.Fatalf("the session is gone too early: %d %s", status, text)
	}
	until(t, "the end of the call", isIdle)
	h.endIdle(time.Now().Add(2 * idleTime))
	until(t, "the session being forgotten", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.sessions) == 0
	})
	if status, _, _ := post(t, address, askRun, "Mcp-Session-Id", id); status != http.StatusNotFound {
		t.Errorf("a forgotten session: status %d", status)
	}
}

func TestTheIdlestHTTPSessionGivesWay(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	address, h := s.listen(t, HTTPConfig{})
	var ids []string
	for range maxSessions + 1 {
		_, header, _ := post(t, address, helloOld)
		ids = append(ids, header.Get("Mcp-Session-Id"))
	}
	h.mu.Lock()
	open := len(h.sessions)
	h.mu.Unlock()
	if open != maxSessions {
		t.Errorf("%d sessions are open", open)
	}
	until(t, "the end of the first session", func() bool {
		status, _, _ := post(t, address, `{"jsonrpc":"2.0","method":"notifications/x"}`, "Mcp-Session-Id", ids[0])
		return status == http.StatusNotFound
	})
	if status, _, _ := post(t, address, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", ids[1]); status != http.StatusAccepted {
		t.Errorf("the second session: status %d", status)
	}
}

func TestTheTraceOfHTTPHasEveryMessageAndNoToken(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef"
	var kept safeBuffer
	s := newSite(t, nil)
	address, _ := s.listen(t, HTTPConfig{Token: token, Trace: trace.New(&kept)})
	post(t, address, helloOld, "Authorization", "Bearer "+token)
	text := kept.String()
	for _, want := range []string{`"from":"client"`, `"from":"server"`, `"method":"initialize"`, `"serverInfo"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the trace has no %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, token) {
		t.Errorf("the trace has the token:\n%s", text)
	}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), `{"at":`) {
			t.Errorf("a line is %s", lines.Text())
		}
	}
}
