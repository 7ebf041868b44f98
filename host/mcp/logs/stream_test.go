package logs

//lint:file-ignore SA1019 the protocol deprecates logging in 2026-07-28; clients of older versions have nothing else.

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pair is a client and a server of a stream. Its tool runs what work says.
type pair struct {
	stream  *Stream
	version string
	log     hclog.Logger
	work    func()
	client  *mcp.ClientSession

	mu    sync.Mutex
	more  *sync.Cond // after something was heard
	heard []*mcp.LoggingMessageParams
}

func connect(t *testing.T, environ []string, version string) *pair {
	t.Helper()
	p := &pair{stream: New(environ), version: version, work: func() {}}
	p.more = sync.NewCond(&p.mu)
	p.log = p.stream.Logger(hclog.New(&hclog.LoggerOptions{Name: "proctor", Level: hclog.Error, Output: discard{}}))
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}})
	s.AddTool(&mcp.Tool{Name: "work", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		p.work()
		return &mcp.CallToolResult{}, nil
	})
	s.AddReceivingMiddleware(p.stream.Serve)
	here, there := mcp.NewInMemoryTransports()
	served, err := s.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.heard = append(p.heard, r.Params)
			p.more.Broadcast()
		},
	})
	if p.client, err = c.Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: version}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.client.Close()
		served.Wait()
		p.stream.Close()
	})
	return p
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// told returns what the client has heard once all was sent that was logged: the messages,
// and all of it as JSON.
func (p *pair) told(t *testing.T) (messages []string, raw string) {
	t.Helper()
	const last = "the last of all"
	if p.version == newer {
		p.work = func() { p.log.Error(last) }
		if _, err := p.client.CallTool(t.Context(), &mcp.CallToolParams{Meta: mcp.Meta{mcp.MetaKeyLogLevel: "error"}, Name: "work"}); err != nil {
			t.Fatal(err)
		}
	} else {
		p.setLevel(t, "debug")
		p.nextSecond()
		p.log.Error(last)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.heard) == 0 || textOf(p.heard[len(p.heard)-1]) != last {
		p.more.Wait()
	}
	p.heard = p.heard[:len(p.heard)-1]
	var all strings.Builder
	for _, m := range p.heard {
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(line, '\n'))
		messages = append(messages, textOf(m))
	}
	return messages, all.String()
}

func textOf(m *mcp.LoggingMessageParams) string {
	object, _ := m.Data.(map[string]any)
	text, _ := object["message"].(string)
	return text
}

// nextSecond begins a new allowance.
func (p *pair) nextSecond() {
	p.stream.mu.Lock()
	defer p.stream.mu.Unlock()
	p.stream.session.second = time.Time{}
}

func (p *pair) setLevel(t *testing.T, level mcp.LoggingLevel) {
	t.Helper()
	if err := p.client.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: level}); err != nil {
		t.Fatal(err)
	}
}

const older, newer = "2025-11-25", "2026-07-28"

func TestAClientGetsWhatIsLoggedFromTheLevelThatItSet(t *testing.T) {
	t.Parallel()
	p := connect(t, nil, older)
	p.log.Error("before")
	p.setLevel(t, "error")
	p.log.Warn("not yet")
	p.setLevel(t, "info")
	p.log.Debug("little")
	p.log.With("run", "01RUN").Named("plugin.go").Warn("a probe failed", "tries", 3, "error", errors.New("no such file"))
	said, raw := p.told(t)
	if !slices.Equal(said, []string{"a probe failed"}) {
		t.Errorf("heard %q", said)
	}
	const want = `{"data":{"fields":{"error":"no such file","run":"01RUN","tries":3},"message":"a probe failed"},"level":"warning","logger":"proctor.plugin.go"}` + "\n"
	if raw != want {
		t.Errorf("got  %swant %s", raw, want)
	}
}

func TestAnUnknownLevelIsInvalid(t *testing.T) {
	t.Parallel()
	p := connect(t, nil, older)
	err := p.client.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "loud"})
	if err == nil || !strings.Contains(err.Error(), `there is no level "loud"`) {
		t.Error(err)
	}
	p.log.Error("nobody listens")
	if said, _ := p.told(t); len(said) > 0 {
		t.Errorf("heard %q", said)
	}
}

func TestWithoutSessionsARequestSaysWhatItWantsForItsDuration(t *testing.T) {
	t.Parallel()
	p := connect(t, nil, newer)
	p.work = func() { p.log.Info("at work") }
	for _, meta := range []mcp.Meta{{}, {mcp.MetaKeyLogLevel: "info"}, {mcp.MetaKeyLogLevel: "warning"}} {
		if _, err := p.client.CallTool(t.Context(), &mcp.CallToolParams{Meta: meta, Name: "work"}); err != nil {
			t.Fatal(err)
		}
		p.log.Error("between calls")
	}
	if said, _ := p.told(t); !slices.Equal(said, []string{"at work"}) {
		t.Errorf("heard %q", said)
	}
}

func TestARecordIsBoundedAndValidAndHasNoSecrets(t *testing.T) {
	t.Parallel()
	p := connect(t, []string{"PROCTOR_MCP_TOKEN=abcdefghijklmnop", "NOTE=harmless", "API_KEY=x"}, older)
	p.setLevel(t, "debug")
	var many []any
	for range 50 {
		many = append(many, strings.Repeat("k", 500)+string(rune('a'+len(many)%26))+string(rune('a'+len(many)/26)), strings.Repeat("\x01ä", 1<<20))
	}
	p.log.Warn(strings.Repeat("ü", 1<<20)+"\xff", many...)
	p.log.Warn("a \xff and \x1b[31mred\x1b[0m\nline", "header", "Bearer abcdefghijklmnop, harmless", "Password", "hunter2", "odd")
	said, raw := p.told(t)
	if len(said) != 2 || !utf8.ValidString(raw) {
		t.Fatalf("heard %q", said)
	}
	if one, _, _ := strings.Cut(raw, "\n"); len(one) > (maxFields+2)*2*maxText {
		t.Errorf("a record has %d bytes", len(one))
	}
	if said[1] != "a \uFFFD and red\\nline" {
		t.Errorf("got %q", said[1])
	}
	if strings.Contains(raw, "abcdefghijklmnop") || strings.Contains(raw, "hunter2") || !strings.Contains(raw, "Bearer [hidden], harmless") {
		t.Errorf("got %s", raw[max(0, len(raw)-500):])
	}
}

func TestASecretIsHiddenHoweverItComes(t *testing.T) {
	t.Parallel()
	p := connect(t, []string{"A_TOKEN=abcdef", "B_TOKEN=abcdefghijkl", "PRIVATE_KEY=-----BEGIN-----\nMIIEvQIBADANBg\r\nkqhkiG9w0BAQEF\n-----END-----\n", "C_TOKEN=12345"}, older)
	p.setLevel(t, "debug")
	for _, text := range []string{"abcdefghijkl", "abc\x1b[31mdefghi\x1b[0mjkl", "a key: kqhkiG9w0BAQEF", "MIIEvQIBADANBg\r\nkqhkiG9w0BAQEF", "12345"} {
		p.log.Warn(text)
	}
	if said, _ := p.told(t); !slices.Equal(said, []string{"[hidden]", "[hidden]", "a key: [hidden]", `[hidden]\n[hidden]`, "12345"}) {
		t.Errorf("heard %q", said)
	}
}

// What is dropped is counted, even if nothing is logged later.
func TestWhatIsTooMuchIsCounted(t *testing.T) {
	t.Parallel()
	const all = 100_000
	p := connect(t, nil, older)
	p.setLevel(t, "debug")
	for range all {
		p.log.Warn("again")
	}
	sent, dropped := p.sum(t, all)
	if sent+dropped != all || sent >= all/2 {
		t.Errorf("of %d, %d were sent and %d dropped", all, sent, dropped)
	}
	// The end of a call tells it, too: nothing may follow.
	p = connect(t, nil, newer)
	p.work = func() {
		for range all {
			p.log.Warn("again")
		}
	}
	if _, err := p.client.CallTool(t.Context(), &mcp.CallToolParams{Meta: mcp.Meta{mcp.MetaKeyLogLevel: "info"}, Name: "work"}); err != nil {
		t.Fatal(err)
	}
	if sent, dropped := p.sum(t, all); sent+dropped != all || sent >= all/2 {
		t.Errorf("of %d in a call, %d were sent and %d dropped", all, sent, dropped)
	}
}

// sum waits until the client knows of so many records, and returns how many of them it was
// sent and how many were dropped.
func (p *pair) sum(t *testing.T, all int) (sent, dropped int) {
	t.Helper()
	late := false
	defer time.AfterFunc(time.Minute, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		late = true
		p.more.Broadcast()
	}).Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		sent, dropped = 0, 0
		for _, m := range p.heard {
			if textOf(m) != "there was too much to log" {
				sent++
				continue
			}
			object, _ := m.Data.(map[string]any)
			fields, _ := object["fields"].(map[string]any)
			n, _ := fields["dropped"].(float64)
			dropped += int(n)
		}
		if sent+dropped >= all || late {
			return sent, dropped
		}
		p.more.Wait()
	}
}

func TestLevelsSetAtOnceMakeOneReader(t *testing.T) {
	t.Parallel()
	for range 200 {
		s := New(nil)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { s.follow(nil, hclog.Info) })
		}
		all.Wait()
		if n := len(s.readers); n != 1 {
			t.Fatalf("%d readers", n)
		}
		s.Close()
	}
}

func TestAPluginLogsWhatAClientWants(t *testing.T) {
	t.Parallel()
	p := connect(t, nil, older)
	if got := p.log.GetLevel(); got != hclog.Error {
		t.Errorf("without a client %v", got)
	}
	p.setLevel(t, "debug")
	if got := p.log.Named("plugin.go"); got.GetLevel() != hclog.Debug || got.IsTrace() || !got.IsDebug() || !got.IsInfo() || !got.IsWarn() {
		t.Errorf("with a client %v", got.GetLevel())
	}
}
