package parse

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// seen is a sink that records everything in order.
type seen struct {
	tests    []sdk.TestResult
	failures []sdk.Failure
	suites   map[string]sdk.SuiteOutcome
	reasons  map[string]string
	unread   []sdk.Unread
	errors   []string
	output   strings.Builder
	// log has one line for each call.
	log []string
}

func (s *seen) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

func (s *seen) Test(r sdk.TestResult) {
	s.tests = append(s.tests, r)
	s.note("test %+v", r)
}

func (s *seen) Failure(f sdk.Failure) {
	s.failures = append(s.failures, f)
	s.note("failure %+v", f)
}

func (s *seen) Suite(r sdk.SuiteResult) {
	if s.suites == nil {
		s.suites, s.reasons = map[string]sdk.SuiteOutcome{}, map[string]string{}
	}
	s.reasons[r.Suite] = r.Reason
	s.suites[r.Suite] = r.Outcome
	s.note("suite %+v", r)
}

func (s *seen) Unread(u sdk.Unread) {
	s.unread = append(s.unread, u)
	s.note("unread %+v", u)
}

func (s *seen) Note(text string) { s.note("note %q", text) }

func (s *seen) RunError(text string) {
	s.errors = append(s.errors, text)
	s.note("run error %q", text)
}

func (s *seen) Condition(name, value string) { s.note("condition %q=%q", name, value) }

func (s *seen) Output(data []byte) { s.output.Write(data) }

// status returns the last reported status of a test.
func (s *seen) status(name string) sdk.Status {
	for _, r := range slices.Backward(s.tests) {
		if r.Test == name {
			return r.Status
		}
	}
	return ""
}

// failure returns the only failure of a test.
func (s *seen) failure(t *testing.T, name string) sdk.Failure {
	t.Helper()
	var found []sdk.Failure
	for _, f := range s.failures {
		if f.Test == name {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d failures of %q, want one; all:\n%s", len(found), name, strings.Join(s.log, "\n"))
	}
	return found[0]
}

// pkg is the suite of most tests.
const pkg = "example.com/m"

// script builds a stream as go test prints it.
type script struct{ strings.Builder }

func (s *script) event(fields ...any) *script {
	s.WriteString("{")
	for i := 0; i+1 < len(fields); i += 2 {
		if i > 0 {
			s.WriteString(",")
		}
		value, _ := json.Marshal(fields[i+1])
		fmt.Fprintf(s, "%q:%s", fields[i], value)
	}
	s.WriteString("}\n")
	return s
}

func (s *script) start() *script { return s.event("Action", "start", "Package", pkg) }

func (s *script) run(name string) *script {
	s.event("Action", "run", "Package", pkg, "Test", name)
	return s.out(name, "=== RUN   "+name+"\n")
}

func (s *script) pause(name string) *script {
	return s.event("Action", "pause", "Package", pkg, "Test", name)
}

func (s *script) cont(name string) *script {
	return s.event("Action", "cont", "Package", pkg, "Test", name)
}

// out adds output of a test, or of none, with one event for each line.
func (s *script) out(name, text string) *script {
	for line := range strings.Lines(text) {
		if name == "" {
			s.event("Action", "output", "Package", pkg, "Output", line)
		} else {
			s.event("Action", "output", "Package", pkg, "Test", name, "Output", line)
		}
	}
	return s
}

func (s *script) typed(name, text, kind string) *script {
	return s.event("Action", "output", "Package", pkg, "Test", name, "Output", text, "OutputType", kind)
}

// end adds the end of a test with its verdict line.
func (s *script) end(action, name string) *script {
	s.out(name, fmt.Sprintf("--- %s: %s (0.00s)\n", strings.ToUpper(action), name))
	return s.ended(action, name)
}

// ended adds the event alone.
func (s *script) ended(action, name string) *script {
	return s.event("Action", action, "Package", pkg, "Test", name, "Elapsed", 0.01)
}

// completed adds the end of a suite whose tests all had their turn.
func (s *script) completed(action string) *script {
	if action == "pass" {
		s.out("", "PASS\n")
	} else {
		s.out("", "FAIL\n")
	}
	return s.died(action)
}

// died adds the end of a suite whose process ended early.
func (s *script) died(action string) *script {
	if action == "fail" {
		s.out("", "FAIL\t"+pkg+"\t0.01s\n")
	}
	return s.event("Action", action, "Package", pkg, "Elapsed", 0.01)
}

// newProject returns a workspace with a module and some files.
func newProject(t testing.TB, files map[string]string) sdk.RunInfo {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, path, text)
	}
	if _, ok := files["go.mod"]; !ok {
		write("go.mod", "module "+pkg+"\n\ngo 1.26\n")
	}
	for name, text := range files {
		write(name, text)
	}
	return sdk.RunInfo{
		Workspace: sdk.Workspace{Root: root},
		Command:   sdk.Command{Argv: []string{"go", "test", "-json", "-count=1", "./..."}},
	}
}

// recorded is a run whose sources are unknown.
var recorded = sdk.RunInfo{Command: sdk.Command{Argv: []string{"go", "test", "-json", "-count=1", "./..."}}}

var red = sdk.Exit{Code: 1}

// parseStream parses a stream.
func parseStream(run sdk.RunInfo, stdout string, exit sdk.Exit) *seen {
	sink := &seen{}
	p := New(Config{Run: run}, sink)
	p.Write(sdk.Stdout, []byte(stdout))
	p.Close(exit)
	return sink
}
