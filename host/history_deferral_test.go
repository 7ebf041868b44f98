package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// aside sets a test aside and fails if that fails.
func (p *past) aside(name string) {
	p.t.Helper()
	if _, err := p.host.Defer(p.t.Context(), DeferRequest{Where: p.where(), Name: name, Reason: "later"}); err != nil {
		p.t.Fatal(err)
	}
}

// isAside tells whether a test is set aside.
func (p *past) isAside(name string) bool {
	p.t.Helper()
	deferred, err := p.deferrals(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	_, ok := deferred[key(name)]
	return ok
}

func TestADeferralEndsWithAChangeOfItsFileOrWithAPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(p *past)
		ends bool
	}{
		"nothing happened":               {func(p *past) {}, false},
		"it fails again":                 {func(p *past) { p.run("b", failed("d/a_test.x", "A")) }, false},
		"it fails and passes in one run": {func(p *past) { p.run("b", failed("d/a_test.x", "A"), passed("d/a_test.x", "A")) }, false},
		"it is skipped":                  {func(p *past) { p.run("b", did("d/a_test.x", "A", history.Skipped)) }, false},
		"another file changes":           {func(p *past) { p.writeFile("d/b_test.x", "new") }, false},
		"it is written as it was":        {func(p *past) { p.writeFile("d/a_test.x", "old") }, false},
		"its file changes":               {func(p *past) { p.writeFile("d/a_test.x", "new") }, true},
		"its file is gone":               {func(p *past) { os.Remove(filepath.Join(p.dir, "d", "a_test.x")) }, true},
		"it passes":                      {func(p *past) { p.run("b", passed("d/a_test.x", "A")) }, true},
		"it passes and fails again":      {func(p *past) { p.run("b", passed("d/a_test.x", "A")); p.run("b", failed("d/a_test.x", "A")) }, false},
		"it passes on other sources": {func(p *past) {
			p.runAs(history.Run{SessionID: "b", Kind: record.KindTriage}, passed("d/a_test.x", "A"))
		}, false},
		"an older pass is taken in": {func(p *past) {
			p.runAs(history.Run{SessionID: "ci", Kind: record.KindIngest, StartedAt: p.now.Add(-48 * time.Hour)}, passed("d/a_test.x", "A"))
		}, false},
		"a newer pass is taken in": {func(p *past) {
			p.runAs(history.Run{SessionID: "ci", Kind: record.KindIngest}, passed("d/a_test.x", "A"))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPast(t)
			p.writeFile("d/a_test.x", "old")
			p.run("a", failed("d/a_test.x", "A"), failed("d/b_test.x", "B"))
			p.aside("A")
			c.do(p)
			if p.isAside("A") == c.ends {
				t.Errorf("set aside: %v", !c.ends)
			}
			left, err := p.history.Deferrals(t.Context())
			if err != nil || (len(left) == 0) != c.ends {
				t.Errorf("on record: %v, %v", left, err)
			}
		})
	}
}

func TestWhatCannotBeSetAsideIsRefused(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	derived := failed("a", "Parent")
	derived.Derived = true
	p.run("a", passed("a", "Good"), failed("a", "Bad"), derived, did("a", "Skipped", history.Skipped),
		failed("a", "T1/x"), failed("a", "T2/x"))
	for name, says := range map[string]string{
		"Good": "not failing", "Missing": "no test or file", "Parent": "tests inside it", "Skipped": "no result", "x": "several tests", "a": "no test",
	} {
		_, err := p.host.Defer(t.Context(), DeferRequest{Where: p.where(), Name: name})
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, req := range []DeferRequest{
		{Name: "Bad", Lift: true}, {Name: "Bad", Lift: true, Reason: "no"}, {Name: "Bad", Reason: strings.Repeat("x", maxReason+1)},
	} {
		req.Where = p.where()
		_, err := p.host.Defer(t.Context(), req)
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if list, err := p.host.Deferred(t.Context(), DeferRequest{Where: p.where()}); err != nil || len(list.Deferred) != 0 {
		t.Errorf("set aside: %v, %v", list, err)
	}
}

func TestADeferralIsListedAndLifted(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.writeFile("a_test.x", "old")
	p.run("a", failed("a_test.x", "A"), failed("gone_test.x", "B"))
	p.aside("A")
	p.now = p.now.Add(time.Hour)
	p.aside("B")
	list, err := p.host.Deferred(t.Context(), DeferRequest{Where: p.where()})
	if err != nil || len(list.Deferred) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if d := list.Deferred[0]; d.Test != "A" || !d.Watched || d.Reason != "later" || d.SessionID != "now" || d.AgeS != 3600 {
		t.Errorf("first: %+v", d)
	}
	if d := list.Deferred[1]; d.Test != "B" || d.Watched {
		t.Errorf("second: %+v", d)
	}
	lifted, err := p.host.Defer(t.Context(), DeferRequest{Where: p.where(), Name: "A", Lift: true})
	if err != nil || len(lifted.Lifted) != 1 || lifted.Lifted[0].Test != "A" || p.isAside("A") || !p.isAside("B") {
		t.Errorf("lifted: %+v, %v", lifted, err)
	}
}

func TestOnlyFilesOfTheWorkspaceAreDigested(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPast(t)
	p.writeFile("real", "r")
	for _, file := range []string{"", "../x", "/etc/passwd", filepath.Join(outside, "secret"), "missing", ".", "missing/dir"} {
		if digest, err := fileDigest(p.dir, file); err != nil || digest != "" {
			t.Errorf("%q: %q, %v", file, digest, err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(p.dir, "link")); err == nil {
		if digest, err := fileDigest(p.dir, "link"); err == nil || digest != "" {
			t.Errorf("a link out of the workspace was followed: %q, %v", digest, err)
		}
	}
	p.run("a", failed("link", "Linked"))
	if d, err := p.host.Defer(t.Context(), DeferRequest{Where: p.where(), Name: "Linked"}); err != nil || d.Deferred[0].Watched {
		t.Errorf("a test in a file that cannot be read: %+v, %v", d, err)
	}
	first, err := fileDigest(p.dir, "real")
	if err != nil || first == "" {
		t.Fatalf("%q, %v", first, err)
	}
	p.writeFile("real", "R")
	if second, err := fileDigest(p.dir, "real"); err != nil || second == first {
		t.Errorf("another content, the same digest: %v", err)
	}
}
