package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// process is a process of this machine, as /proc has it.
type process struct {
	pid, parent int
	name, state string
	// began tells apart processes that have the same pid one after the other.
	began string
}

func processes() []process {
	var all []process
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		open, end := strings.IndexByte(string(raw), '('), strings.LastIndexByte(string(raw), ')')
		pid, nerr := strconv.Atoi(e.Name())
		if err != nil || nerr != nil || open < 0 || end < open {
			continue
		}
		fields := strings.Fields(string(raw)[end+1:])
		parent, _ := strconv.Atoi(fields[1])
		all = append(all, process{pid: pid, parent: parent, name: string(raw)[open+1 : end], state: fields[0], began: fields[19]})
	}
	return all
}

// descendants are the processes below one.
func descendants(pid int) []process {
	below, found := map[int]bool{pid: true}, []process{}
	all := processes()
	for range 10 { // as deep as it may go
		for _, p := range all {
			if below[p.parent] && !below[p.pid] {
				below[p.pid] = true
				found = append(found, p)
			}
		}
	}
	return found
}

// left are those of the processes that still run.
func left(of []process) []string {
	var names []string
	for _, p := range processes() {
		if p.state != "Z" && slices.ContainsFunc(of, func(o process) bool { return o.pid == p.pid && o.began == p.began }) {
			names = append(names, fmt.Sprintf("%s (%d)", p.name, p.pid))
		}
	}
	return names
}

func TestKillingProctorLeavesNoProcessesAndAReadableRecord(t *testing.T) {
	t.Parallel()
	// Some tests stand between: a failure is only reported when a few have
	// followed, for a panic is printed behind the end of its test.
	w := newModule(t, files{"a/a_test.go": tests("a", "TestGood", pass, "TestBad", broken,
		"Test1", pass, "Test2", pass, "Test3", pass, "Test4", pass, "Test5", pass, "TestHang", `if os.Getenv("FIXED") == "" { select {} }`)})
	w.proctor("run", "-f", "TestGood").expect(t, 0)
	w.ran()
	b := w.start("run")
	await(t, "TestHang", func() bool { return w.hasRun("a TestHang") })
	// The failure is on record as soon as the plugin has told it.
	await(t, "the failure on record", func() bool {
		records, _ := filepath.Glob(filepath.Join(w.dir, ".proctor", "runs", "*", "failures.jsonl"))
		return slices.ContainsFunc(records, func(path string) bool {
			raw, _ := os.ReadFile(path)
			return strings.Contains(string(raw), "TestBad")
		})
	})
	family := descendants(b.cmd.Process.Pid)
	if len(family) < 3 {
		t.Fatalf("expected the plugin, go and the test binary below proctor, got %+v", family)
	}
	b.cmd.Process.Kill()
	b.end()
	await(t, "the end of every process that proctor started", func() bool { return len(left(family)) == 0 })

	// The recorded results of the killed run stand. All it left undone is outstanding,
	// because nobody can tell how far it came.
	killed, r := w.object("failures")
	r.expect(t, 0)
	if killed.Verdict != api.Incomplete || killed.State != api.StateFinished || !strings.Contains(killed.Reason, "no end on record") {
		t.Errorf("the killed run is %s, verdict %s: %s", killed.State, killed.Verdict, killed.Reason)
	}
	if f := failureOf(t, killed, "TestBad"); f.Kind != "assertion" {
		t.Errorf("its failure is %s", f.Kind)
	}
	w.ran()
	all := "a Test1, a Test2, a Test3, a Test4, a Test5, a TestBad, a TestGood, a TestHang"
	step{call: "rerun", env: fixed, verdict: api.Passed, ran: all}.happens(t, w)
	text := w.proctor("runs", "show", killed.RunID)
	if text.expect(t, 0, "INCOMPLETE"); strings.Contains(text.stdout, "PASSED") {
		t.Errorf("a run that was killed looks green: %s", text.stdout)
	}
}
