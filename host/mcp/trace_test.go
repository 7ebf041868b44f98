package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/mcp/trace"
)

// safeBuffer is a buffer for concurrent writers.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestATraceHasBothSidesOfAConversation(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var kept safeBuffer
	here, there := mcp.NewInMemoryTransports()
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.server.Serve(t.Context(), trace.New(&kept).Transport(there))
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	session.Close()
	<-served
	said := map[string]int{}
	for line := range strings.Lines(kept.String()) {
		var l struct {
			At      time.Time       `json:"at"`
			From    string          `json:"from"`
			Message json.RawMessage `json:"message"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if l.At.IsZero() {
			t.Errorf("no time in %s", line)
		}
		for _, word := range []string{`"method":"tools/list"`, `"run_failing_tests"`} {
			if bytes.Contains(l.Message, []byte(word)) {
				said[l.From+word]++
			}
		}
	}
	if said[`client"method":"tools/list"`] != 1 || said[`server"run_failing_tests"`] != 1 {
		t.Errorf("the trace has %v:\n%s", said, kept.String())
	}
}
