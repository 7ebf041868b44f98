package host

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/record"
)

func TestWhatThisSessionLeftIsNotCalledAnEarlierSessions(t *testing.T) {
	for _, tc := range []struct {
		own  bool
		want string
	}{
		{true, "outstanding: 2 tests, since run abcdefghij of this session, 3s ago"},
		{false, "outstanding from earlier sessions: 2 tests, since run abcdefghij of session s, 3s ago"},
	} {
		e := Earlier{Count: 2, Kinds: record.OutstandingCounts{Tests: 2}, RunID: "abcdefghij", SessionID: "s", At: time.Now(), AgeS: 3, own: tc.own}
		if got := e.String(); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
	root := t.TempDir()
	h := New(Config{Session: "s"})
	t.Cleanup(func() { h.Close(t.Context()) })
	store, err := h.store(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.remember(t.Context(), store); err != nil {
		t.Fatal(err) // before any run: then nothing is unknown
	}
	begun(t, h, root)
	m, err := h.settledMemory(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if e := m.earlier(t.Context(), "toy"); e == nil || !strings.Contains(e.String(), "of this session") {
		t.Errorf("earlier = %v", e)
	}
}
