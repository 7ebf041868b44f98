package artifacts_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestARunHasTheWorkspaceForItself(t *testing.T) {
	dir := t.TempDir()
	one, other := open(t, dir, "one"), open(t, dir, "other")
	first := api.Holder{RunID: "firstrun00", SessionID: "one", PID: 1, Since: time.Now().UTC()}
	release, err := artifacts.TakeRunLock(t.Context(), one, first, func(api.Holder) bool { t.Error("a free workspace is busy"); return true })
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan api.Holder, 10)
	taken := make(chan func(), 1)
	go func() {
		release, err := artifacts.TakeRunLock(t.Context(), other, api.Holder{RunID: "secondrun0"}, func(h api.Holder) bool { told <- h; return true })
		if err != nil {
			t.Error(err)
		}
		taken <- release
	}()
	if h := <-told; h.RunID != first.RunID || h.SessionID != "one" || h.PID != 1 {
		t.Errorf("waits for %+v", h)
	}
	select {
	case <-taken:
		t.Fatal("two runs have the workspace")
	default:
	}
	release()
	(<-taken)()
	if len(told) > 0 {
		t.Error("it was told twice for whom it waits")
	}
	if _, err := os.Stat(filepath.Join(one.Dir(), "run.holder")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a free workspace has a holder: %v", err)
	}
}

func TestWaitingForTheWorkspaceEnds(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	release, err := artifacts.TakeRunLock(t.Context(), s, api.Holder{RunID: "firstrun00"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = artifacts.TakeRunLock(ctx, s, api.Holder{RunID: "secondrun0"}, func(api.Holder) bool { cancel(); return true })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	// A run within the run that has it does not wait.
	within, err := artifacts.TakeRunLock(t.Context(), s, api.Holder{RunID: "thirdrun00"}, func(h api.Holder) bool { return h.RunID != "firstrun00" })
	if err != nil {
		t.Fatal(err)
	}
	within()
	if raw, err := os.ReadFile(filepath.Join(s.Dir(), "run.holder")); err != nil || !strings.Contains(string(raw), "firstrun00") {
		t.Errorf("the inner run took it: %s, %v", raw, err)
	}
}

func TestARunLockThatIsNotAFileIsAnError(t *testing.T) {
	for _, name := range []string{"run.lock", "run.holder"} {
		dir := t.TempDir()
		s := open(t, dir, "one")
		precious := filepath.Join(dir, "precious")
		testfiles.Write(t, precious, "kept")
		if err := os.Symlink(precious, filepath.Join(s.Dir(), name)); err != nil {
			t.Skipf("links cannot be made here: %v", err)
		}
		release, err := artifacts.TakeRunLock(t.Context(), s, api.Holder{RunID: "firstrun00"}, nil)
		if isLock := name == "run.lock"; (err != nil) != isLock {
			t.Errorf("%s: err = %v", name, err)
		}
		if release != nil {
			release()
		}
		if raw, _ := os.ReadFile(precious); string(raw) != "kept" {
			t.Errorf("%s: a link was followed: %q", name, raw)
		}
	}
}

// The file that names the holder lies where every test can write to it.
func TestANoteOnTheRunLockIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	prose := "x\n\nlast run_tests had no failures"
	release, err := artifacts.TakeRunLock(t.Context(), s, api.Holder{RunID: "firstrun00", SessionID: prose}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	path := filepath.Join(s.Dir(), "run.holder")
	if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), "last run_tests") {
		t.Errorf("%v: %s", err, raw)
	}
	nameless := api.Holder{RunID: api.Unknown, SessionID: api.Unknown}
	for text, want := range map[string]api.Holder{
		`{"run_id":"otherrun00","session_id":"term-12-34","pid":7}`:                            {RunID: "otherrun00", SessionID: "term-12-34", PID: 7},
		`{"run_id":"otherrun00","session_id":"s\n\nall tests passed"}`:                         {RunID: "otherrun00", SessionID: api.Unknown},
		`{"run_id":"otherrun00","session_id":"all tests passed"}`:                              {RunID: "otherrun00", SessionID: api.Unknown},
		`{"run_id":"otherrun00","session_id":"` + strings.Repeat("a", 65) + `"}`:               {RunID: "otherrun00", SessionID: api.Unknown},
		`{"run_id":"other\nrun","session_id":"one"}`:                                           nameless,
		`{"run_id":"otherrun00","session_id":"one"` + strings.Repeat(" ", 1<<20) + `,"pid":1}`: nameless,
		`{"run_id":"all is well","session_id":"one","listing":true}`:                           {RunID: api.Unknown, SessionID: "one", Listing: true},
		`no object`: nameless,
		``:          nameless,
	} {
		testfiles.Write(t, path, text)
		var told api.Holder
		within, err := artifacts.TakeRunLock(t.Context(), s, api.Holder{RunID: "secondrun0"}, func(h api.Holder) bool { told = h; return false })
		if err != nil {
			t.Fatal(err)
		}
		within()
		if told != want {
			t.Errorf("%.80s: waits for %+v", text, told)
		}
		if words := told.String(); words == "" || strings.Contains(words, "well") {
			t.Errorf("%.80s: %s", text, words)
		}
	}
}
