package standing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/sdk"
)

func TestFewStatesAreReadAndFewerHeld(t *testing.T) {
	t.Parallel()
	reads := map[string]int{}
	e := &edits{found: map[[2]string]difference{}, read: func(id string) (fingerprint.State, bool) {
		reads[id]++
		return fingerprint.State{ID: id}, true
	}}
	known := 0
	for range 3 { // like three tests that failed in the same runs
		for i := range 100 {
			if e.between(fmt.Sprint(i), fmt.Sprint(i+1)) >= 0 {
				known++
			}
		}
	}
	if len(e.recent) > editStates || e.reads > editReads || known != 3*(editReads-1) {
		t.Errorf("%d states held, %d read, %d answers known", len(e.recent), e.reads, known)
	}
	for id, n := range reads {
		if n > 1 {
			t.Errorf("state %s was read %d times", id, n)
		}
	}
}

func TestEditsSinceAStateThatDoesNotAddUpAreUnknown(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.WriteFile("a.x", "1")
	good := p.Snap()
	forged, ok, err := p.State(t.Context(), good)
	if err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
	forged.ID = strings.Repeat("ab", 12)
	p.Must(p.History.SaveState(t.Context(), forged))
	if n := newEdits(t.Context(), p.History).between(good, forged.ID); n != -1 {
		t.Errorf("%d edits", n)
	}
}

func TestFilesOfProctorsOwnAreNamedLast(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.WriteFile("z.x", "1")
	before := p.Snap()
	for _, name := range []string{".proctor-quarantine.toml", ".proctor.toml", "proctor.lock", "z.x"} {
		p.WriteFile(name, "2")
	}
	d := newEdits(t.Context(), p.History).difference(before, p.Snap())
	if named := d.named(history.Test{}); d.count != 4 || len(named) != maxNamed || named[0] != "z.x" {
		t.Errorf("got %+v, named %q", d, named)
	}
}

func TestFilesNearATestAreNamedFirst(t *testing.T) {
	t.Parallel()
	d := difference{4, []string{".proctor.toml", "shop/cart/cart.go", "shop/mail/mail.go", "shop/mail/mail_test.go"}}
	for name, tc := range map[string]struct {
		test  history.Test
		first string
	}{
		"its own file":                 {history.Test{File: "mail/mail_test.go"}, "shop/mail/mail_test.go"},
		"beside it":                    {history.Test{File: "mail/other_test.go"}, "shop/mail/mail.go"},
		"an absolute path":             {history.Test{File: "/home/me/shop/mail/other_test.go"}, "shop/mail/mail.go"},
		"a suite named for its folder": {history.Test{TestKey: history.TestKey{TestID: sdk.TestID{Suite: "example.com/shop/mail"}}}, "shop/mail/mail.go"},
		"nothing near":                 {history.Test{File: "geo/geo_test.go"}, "shop/cart/cart.go"},
	} {
		if named := d.named(tc.test); len(named) != maxNamed || named[0] != tc.first {
			t.Errorf("%s: %q, want %q first", name, named, tc.first)
		}
	}
}
