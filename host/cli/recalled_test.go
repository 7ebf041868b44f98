package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// recalled is what the answers of plugins are kept as.
type recalled struct {
	Binary         json.RawMessage `json:"binary"`
	Call, Question string
	Reply          []byte
	Again          bool
}

// answersOf reads the kept answers.
func (w *module) answersOf() (path string, kept []recalled) {
	w.t.Helper()
	path = filepath.Join(w.home, ".cache", "proctor", "answers.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		return path, nil
	}
	if err := json.Unmarshal(raw, &kept); err != nil {
		w.t.Fatal(err)
	}
	return path, kept
}

// What the plugin for Go composed last time is executed before it has started. If it now
// composes another command, that of before counts for nothing: here it would be green.
func TestARunThatBeganWithAnOutdatedAnswerBeginsAgain(t *testing.T) {
	for call, outdate := range map[string]func(reply []byte) []byte{
		"TestCmd": func(reply []byte) []byte { return bytes.ReplaceAll(reply, []byte("./..."), []byte("./a/.")) },
		"Detect":  func([]byte) []byte { return nil }, // there is no project
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			testOutdated(t, call, outdate)
		})
	}
}

func testOutdated(t *testing.T, call string, outdate func(reply []byte) []byte) {
	w := newModule(t, files{
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { t.Error(\"wrong\") }\n",
	})
	isRecalled := func(kept []recalled) bool {
		return slices.ContainsFunc(kept, func(r recalled) bool { return strings.HasSuffix(r.Call, "/TestCmd") && r.Again })
	}
	var before api.Run
	path, kept := w.answersOf()
	for deadline := time.Now().Add(time.Minute); !isRecalled(kept); _, kept = w.answersOf() {
		if time.Now().After(deadline) {
			t.Fatalf("nothing is recalled of %+v", kept)
		}
		before, _ = w.object("run") // answers of a binary that is too young are not kept
	}
	swapped := false
	for i, r := range kept {
		if strings.HasSuffix(r.Call, "/"+call) {
			kept[i].Reply = outdate(r.Reply)
			swapped = !bytes.Equal(kept[i].Reply, r.Reply)
		}
	}
	raw, err := json.Marshal(kept)
	if err != nil || !swapped {
		t.Fatalf("swapped %v: %v", swapped, err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	runs := w.runsOnRecord()
	res := w.proctor("run", "--verbose")
	if res.code != exitFailed || !strings.Contains(res.stdout, "TestB") {
		t.Errorf("exit code %d\n%s\n%s", res.code, res.stdout, res.stderr)
	}
	if _, kept = w.answersOf(); isRecalled(kept) {
		t.Error("what is outdated was not recalled, or not forgotten")
	}
	if n := strings.Count(res.stdout+res.stderr, "go test -json"); n != 1 {
		t.Errorf("%d commands are shown:\n%s%s", n, res.stdout, res.stderr)
	}
	last, _ := w.object("runs", "show")
	if got := w.runsOnRecord(); got != runs+1 || last.Verdict != api.Failed || last.Counts != before.Counts {
		t.Errorf("%d runs after %d, the last %+v", got, runs, last)
	}
}
