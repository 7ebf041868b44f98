//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// slowTests are tests that wait until the client lets them end; a client that never
// does makes them fail.
func slowTests(n int) string {
	var b strings.Builder
	b.WriteString(`package slow

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func await(t *testing.T, gate string) {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(os.Getenv("GATES"), gate)); err == nil {
			return
		}
	}
	t.Fatal("nobody opened gate " + gate)
}
`)
	for i := range n {
		fmt.Fprintf(&b, "\nfunc TestStep%d(t *testing.T) { await(t, \"%d\") }\n", i+1, i+1)
	}
	return b.String()
}

// TestACallThatIsCutOffLosesNothing has a client of the TypeScript SDK give up on a
// call in every way that it has.
func TestACallThatIsCutOffLosesNothing(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	const steps = 6
	// impatient is a time-out that every call exceeds, as the tests wait for the
	// client. patient is longer than the server is ever silent.
	const impatient, patient, never = 4000, 8000, 120000
	type way struct {
		Name    string `json:"name"`
		Dir     string `json:"dir"`
		Gates   string `json:"gates"`
		Timeout int    `json:"timeout"`
		// The expected end; empty is an answer.
		says      string
		leastTime int
		beats     bool
	}
	const timedOut, tooLong = "Request timed out", "Maximum total timeout exceeded"
	ways := []way{
		{Name: "timeout", Timeout: impatient, says: timedOut},
		{Name: "progress", Timeout: impatient, says: timedOut, beats: true},
		{Name: "reset", Timeout: impatient, says: timedOut},
		{Name: "progress and reset", Timeout: patient, leastTime: patient, beats: true},
		{Name: "total", Timeout: patient, says: tooLong, beats: true},
		{Name: "abort", Timeout: never, says: "the user lost patience", beats: true},
	}
	for i := range ways {
		// A workspace each: one has one executing run.
		w := &ways[i]
		w.Dir, w.Gates = filepath.Join(a.dir, fmt.Sprint("way", i)), t.TempDir()
		dir := filepath.Base(w.Dir) + "/"
		a.write(files{dir + "go.mod": "module example.com/slow\n\ngo 1.20\n", dir + "slow_test.go": slowTests(steps)})
	}
	env := map[string]string{}
	for _, setting := range a.env {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	request, err := json.Marshal(map[string]any{"command": testbin.Path("proctor"), "args": []string{"mcp"}, "env": env, "cases": ways})
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join("..", "..", ".ci", "mcp", "timeouts.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	r := a.client("node", script, a.clients, string(request))
	r.expect(t, 0)

	type outcome struct {
		Name   string
		Error  string
		Code   int
		MS     int
		Beats  []float64
		Result map[string]any
		Run    struct {
			Status string
			Counts struct{ Passed, Failed int }
		}
	}
	came := map[string]outcome{}
	lines := bufio.NewScanner(strings.NewReader(r.stdout))
	for lines.Scan() {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatalf("%v in %s", err, r.stdout)
		}
		came[o.Name] = o
	}
	for _, w := range ways {
		o, ok := came[w.Name]
		t.Logf("%s: %d ms, %d beats: %s", w.Name, o.MS, len(o.Beats), o.Error)
		switch {
		case !ok:
			t.Errorf("%s: no outcome\n%s", w.Name, r.stderr)
			continue
		case w.says == "" && (o.Error != "" || o.Result["status"] != "passed"):
			t.Errorf("%s: the call came to %q, %v", w.Name, o.Error, o.Result)
		case !strings.Contains(o.Error, w.says):
			t.Errorf("%s: the call came to %q, not to %q", w.Name, o.Error, w.says)
		case o.MS < w.leastTime:
			t.Errorf("%s: the answer was there after %d ms, before the time-out could strike", w.Name, o.MS)
		}
		if told := len(o.Beats) > 0; told != w.beats {
			t.Errorf("%s: %d beats", w.Name, len(o.Beats))
		}
		for i := 1; i < len(o.Beats); i++ {
			if o.Beats[i] <= o.Beats[i-1] {
				t.Errorf("%s: progress does not grow: %v", w.Name, o.Beats)
			}
		}
		if o.Run.Status != "passed" || o.Run.Counts.Passed != steps || o.Run.Counts.Failed != 0 {
			t.Errorf("%s: afterwards the run is %+v", w.Name, o.Run)
		}
		runs, err := filepath.Glob(filepath.Join(w.Dir, ".proctor", "runs", "*"))
		if err != nil || len(runs) != 1 {
			t.Errorf("%s: %d runs on record, %v", w.Name, len(runs), err)
		}
	}
	if _, err := os.Stat(filepath.Join(a.dir, ".proctor")); err == nil {
		t.Error("a run was recorded outside of the workspace that was asked for")
	}
}
