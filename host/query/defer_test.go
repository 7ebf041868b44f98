package query

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// aside defers a test.
func aside(p *ledgertest.Workspace, name string) {
	p.T.Helper()
	if _, err := Defer(p.T.Context(), p.Keeper, api.DeferRequest{Where: p.Where(), Name: name, Reason: "later"}); err != nil {
		p.T.Fatal(err)
	}
}

// isAside reports whether a test is deferred.
func isAside(p *ledgertest.Workspace, name string) bool {
	p.T.Helper()
	deferred, err := standing.Deferrals(p.T.Context(), p.Ledger)
	if err != nil {
		p.T.Fatal(err)
	}
	_, ok := deferred[historytest.Key(name)]
	return ok
}

func TestADeferralEndsWithAChangeOfItsFileOrWithAPass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(p *ledgertest.Workspace)
		ends bool
	}{
		"nothing happened": {func(p *ledgertest.Workspace) {}, false},
		"it fails again":   {func(p *ledgertest.Workspace) { p.Run("b", historytest.Failed("d/a_test.x", "A")) }, false},
		"it fails and passes in one run": {func(p *ledgertest.Workspace) {
			p.Run("b", historytest.Failed("d/a_test.x", "A"), historytest.Passed("d/a_test.x", "A"))
		}, false},
		"it is skipped":           {func(p *ledgertest.Workspace) { p.Run("b", historytest.Did("d/a_test.x", "A", history.Skipped)) }, false},
		"another file changes":    {func(p *ledgertest.Workspace) { p.WriteFile("d/b_test.x", "new") }, false},
		"it is written as it was": {func(p *ledgertest.Workspace) { p.WriteFile("d/a_test.x", "old") }, false},
		"its file changes":        {func(p *ledgertest.Workspace) { p.WriteFile("d/a_test.x", "new") }, true},
		"its file is gone":        {func(p *ledgertest.Workspace) { os.Remove(filepath.Join(p.Dir, "d", "a_test.x")) }, true},
		"it passes":               {func(p *ledgertest.Workspace) { p.Run("b", historytest.Passed("d/a_test.x", "A")) }, true},
		"it passes and fails again": {func(p *ledgertest.Workspace) {
			p.Run("b", historytest.Passed("d/a_test.x", "A"))
			p.Run("b", historytest.Failed("d/a_test.x", "A"))
		}, false},
		"it passes on other sources": {func(p *ledgertest.Workspace) {
			p.RunAs(history.Run{SessionID: "b", Kind: api.KindTriage}, historytest.Passed("d/a_test.x", "A"))
		}, false},
		"an older pass is taken in": {func(p *ledgertest.Workspace) {
			p.RunAs(history.Run{SessionID: "ci", Kind: api.KindIngest, StartedAt: p.Now.Add(-48 * time.Hour)}, historytest.Passed("d/a_test.x", "A"))
		}, false},
		"a newer pass is taken in": {func(p *ledgertest.Workspace) {
			p.RunAs(history.Run{SessionID: "ci", Kind: api.KindIngest}, historytest.Passed("d/a_test.x", "A"))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ledgertest.New(t)
			p.WriteFile("d/a_test.x", "old")
			p.Run("a", historytest.Failed("d/a_test.x", "A"), historytest.Failed("d/b_test.x", "B"))
			aside(p, "A")
			c.do(p)
			if isAside(p, "A") == c.ends {
				t.Errorf("set aside: %v", !c.ends)
			}
			left, err := p.History.Deferrals(t.Context())
			if err != nil || (len(left) == 0) != c.ends {
				t.Errorf("on record: %v, %v", left, err)
			}
		})
	}
}

func TestOnlyATestThatFailsByItselfCanBeDeferred(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	derived := historytest.Failed("a", "Parent")
	derived.Derived = true
	p.Run("a", historytest.Passed("a", "Good"), historytest.Failed("a", "Bad"), derived, historytest.Did("a", "Skipped", history.Skipped),
		historytest.Failed("a", "T1/x"), historytest.Failed("a", "T2/x"))
	for name, says := range map[string]string{
		"Good": "not failing", "Missing": "no test or file", "Parent": "because of its subtests", "Skipped": "no result", "x": "several tests", "a": "is not a test",
	} {
		_, err := Defer(t.Context(), p.Keeper, api.DeferRequest{Where: p.Where(), Name: name})
		if _, ok := errors.AsType[*api.UsageError](err); !ok || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, req := range []api.DeferRequest{
		{Name: "Bad", Lift: true}, {Name: "Bad", Lift: true, Reason: "no"}, {Name: "Bad", Reason: strings.Repeat("x", maxReason+1)},
	} {
		req.Where = p.Where()
		_, err := Defer(t.Context(), p.Keeper, req)
		if _, ok := errors.AsType[*api.UsageError](err); !ok {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if list, err := Deferred(t.Context(), p.Keeper, api.DeferRequest{Where: p.Where()}); err != nil || len(list.Deferred) != 0 {
		t.Errorf("set aside: %v, %v", list, err)
	}
}

func TestADeferralIsListedAndLifted(t *testing.T) {
	t.Parallel()
	p := ledgertest.New(t)
	p.WriteFile("a_test.x", "old")
	p.Run("a", historytest.Failed("a_test.x", "A"), historytest.Failed("gone_test.x", "B"))
	aside(p, "A")
	p.Now = p.Now.Add(time.Hour)
	aside(p, "B")
	list, err := Deferred(t.Context(), p.Keeper, api.DeferRequest{Where: p.Where()})
	if err != nil || len(list.Deferred) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if d := list.Deferred[0]; d.Test != "A" || !d.Watched || d.Reason != "later" || d.SessionID != "now" || d.AgeS != 3600 {
		t.Errorf("first: %+v", d)
	}
	if d := list.Deferred[1]; d.Test != "B" || d.Watched {
		t.Errorf("second: %+v", d)
	}
	lifted, err := Defer(t.Context(), p.Keeper, api.DeferRequest{Where: p.Where(), Name: "A", Lift: true})
	if err != nil || len(lifted.Lifted) != 1 || lifted.Lifted[0].Test != "A" || isAside(p, "A") || !isAside(p, "B") {
		t.Errorf("lifted: %+v, %v", lifted, err)
	}
}

func TestOnlyFilesOfTheWorkspaceAreDigested(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	testfiles.Write(t, filepath.Join(outside, "secret"), "s")
	p := ledgertest.New(t)
	p.WriteFile("real", "r")
	for _, file := range []string{"", "../x", "/etc/passwd", filepath.Join(outside, "secret"), "missing", ".", "missing/dir"} {
		if digest, err := standing.FileDigest(p.Dir, file); err != nil || digest != "" {
			t.Errorf("%q: %q, %v", file, digest, err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(p.Dir, "link")); err == nil {
		if digest, err := standing.FileDigest(p.Dir, "link"); err == nil || digest != "" {
			t.Errorf("a link out of the workspace was followed: %q, %v", digest, err)
		}
	}
	p.Run("a", historytest.Failed("link", "Linked"))
	if d, err := Defer(t.Context(), p.Keeper, api.DeferRequest{Where: p.Where(), Name: "Linked"}); err != nil || d.Deferred[0].Watched {
		t.Errorf("a test in a file that cannot be read: %+v, %v", d, err)
	}
	first, err := standing.FileDigest(p.Dir, "real")
	if err != nil || first == "" {
		t.Fatalf("%q, %v", first, err)
	}
	p.WriteFile("real", "R")
	if second, err := standing.FileDigest(p.Dir, "real"); err != nil || second == first {
		t.Errorf("another content, the same digest: %v", err)
	}
}
