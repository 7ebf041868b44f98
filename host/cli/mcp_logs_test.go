//go:build unix

package cli

//lint:file-ignore SA1019 the protocol deprecates logging in 2026-07-28; clients of older versions have nothing else.

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// logged is what a client was sent by the protocol's logging.
type logged struct {
	mu   sync.Mutex
	all  []*mcp.LoggingMessageParams
	came chan struct{}
}

func (l *logged) Accept(_ context.Context, r *mcp.LoggingMessageRequest) {
	l.mu.Lock()
	l.all = append(l.all, r.Params)
	l.mu.Unlock()
	l.came <- struct{}{}
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	raw, _ := json.Marshal(l.all)
	return string(raw)
}

// waitFor waits until a message was sent.
func (l *logged) waitFor(t testing.TB, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !strings.Contains(l.String(), text) {
		select {
		case <-l.came:
		case <-ctx.Done():
			t.Fatalf("%s was not logged: %s", text, l)
		}
	}
}

func TestAClientIsSentWhatItsServerLogs(t *testing.T) {
	t.Parallel()
	w := newModule(t, redAndGreen)
	secret := filepath.Base(filepath.Dir(w.dir)) // the log has the path
	w.setenv("PROCTOR_LOG=error", "SECRET_TOKEN="+secret)
	sent := &logged{came: make(chan struct{}, 1000)}
	p := w.connectWith(w.command("mcp"), "2025-11-25", &mcp.ClientOptions{LoggingMessageHandler: sent.Accept})
	if p.session.InitializeResult().Capabilities.Logging == nil {
		t.Error("it announces no logging")
	}
	before := p.call(t, "run_tests", `{"filter":"TestGreen"}`)
	if err := p.session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		t.Fatal(err)
	}
	after := p.call(t, "run_tests", "")
	sent.waitFor(t, "a run has ended")
	sent.mu.Lock()
	i := slices.IndexFunc(sent.all, func(m *mcp.LoggingMessageParams) bool {
		data, _ := m.Data.(map[string]any)
		return data["message"] == "a run has ended"
	})
	raw, err := json.Marshal(sent.all[i])
	sent.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	var end struct {
		Level, Logger string
		Data          struct {
			Fields struct {
				Run, Verdict string
				Duration     float64 `json:"duration_s"`
			}
		}
	}
	if err := json.Unmarshal(raw, &end); err != nil {
		t.Fatal(err)
	}
	if f := end.Data.Fields; end.Level != "info" || end.Logger != "proctor" || f.Run != after.object.RunID || f.Verdict != "failed" || f.Duration <= 0 {
		t.Errorf("logged %s", raw)
	}
	if all := sent.String(); strings.Contains(all, before.object.RunID) || strings.Contains(all, secret) || !strings.Contains(all, "/[hidden]/ws") {
		t.Errorf("logged %s", all)
	}
	if text := p.stderr.String(); strings.Contains(text, "a run has") {
		t.Errorf("on standard error, too: %s", text)
	}
}

func TestTheLogHasTheEndOfARunThatIsWithdrawn(t *testing.T) {
	t.Parallel()
	w := newModule(t, redAndGreen)
	sent := &logged{came: make(chan struct{}, 1000)}
	p := w.connectWith(w.command("mcp"), "2025-11-25", &mcp.ClientOptions{LoggingMessageHandler: sent.Accept})
	if err := p.session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		t.Fatal(err)
	}
	if refused, err := p.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_tests", Arguments: map[string]any{"filter": "TestRed", "flags": []string{"-parallel=0"}}}); err != nil || !refused.IsError {
		t.Fatal(refused, err)
	}
	sent.waitFor(t, "a run has started")
	sent.waitFor(t, "a run has ended")
	if all := sent.String(); !strings.Contains(all, "the runner refused it") {
		t.Errorf("logged %s", all)
	}
}

func TestACallIsSentWhatIsLoggedDuringIt(t *testing.T) {
	t.Parallel()
	w := newModule(t, redAndGreen)
	sent := &logged{came: make(chan struct{}, 1000)}
	p := w.connectWith(w.command("mcp"), "2026-07-28", &mcp.ClientOptions{LoggingMessageHandler: sent.Accept})
	silent := p.call(t, "run_tests", "")
	answer, err := p.session.CallTool(t.Context(), &mcp.CallToolParams{Meta: mcp.Meta{mcp.MetaKeyLogLevel: "info"}, Name: "run_tests"})
	if err != nil {
		t.Fatal(err)
	}
	object, _ := answer.StructuredContent.(map[string]any)
	id, _ := object["run_id"].(string)
	sent.waitFor(t, "a run has ended")
	if all := sent.String(); id == "" || strings.Count(all, id) != 2 || strings.Contains(all, silent.object.RunID) {
		t.Errorf("logged for %s: %s", id, all)
	}
}
