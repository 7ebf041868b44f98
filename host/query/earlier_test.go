package query

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
)

func TestWhatThisSessionLeftIsNotCalledAnEarlierSessions(t *testing.T) {
	for _, tc := range []struct {
		own  bool
		want string
	}{
		{true, "outstanding: 2 tests, since run abcdefghij of this session, 3s ago"},
		{false, "outstanding from earlier sessions: 2 tests, since run abcdefghij of session s, 3s ago"},
	} {
		e := api.Earlier{Count: 2, Kinds: api.OutstandingCounts{Tests: 2}, RunID: "abcdefghij", SessionID: "s", At: time.Now(), AgeS: 3, Own: tc.own}
		if got := e.String(); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	t.Cleanup(func() { k.Close(t.Context()) })
	store, err := k.Store(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.OpenHistory(t.Context(), k, store); err != nil {
		t.Fatal(err) // before any run: then nothing is unknown
	}
	begun(t, k, root)
	led, err := ledger.OpenAt(t.Context(), k, api.Where{Dir: root, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if e := led.Earlier(t.Context(), "toy"); e == nil || !strings.Contains(e.String(), "of this session") {
		t.Errorf("earlier = %v", e)
	}
}
