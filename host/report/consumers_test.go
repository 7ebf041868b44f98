package report_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/sdk"
)

// consumed is what a program of CI reads in a report.
type consumed struct {
	Counts map[string]any
	Cases  []struct {
		Suite, Name, Status string
		Flaky               bool
		Retries             int
	}
}

// consumer is a program that reads reports, and its words for how a case ended.
type consumer struct {
	name, format string
	// These are its words for the ends of a case; flaky is a pass after a failed try.
	passed, skipped, failed, errored, flaky string
	// counts maps the name of each total to the ends that it sums up; nil means all.
	counts map[string][]string
	// cuts reports whether it replaces each character beyond the first 65,536 by two
	// replacement characters.
	cuts bool
}

// The ends of a case.
const (
	endPassed, endSkipped, endFailed, endErrored, endFlaky = "passed", "skipped", "failed", "error", "flaky"
)

var consumers = []consumer{
	{
		name: "junit2json", format: "junit", passed: "passed", skipped: "skipped", failed: "failed", errored: "error", flaky: "passed",
		counts: map[string][]string{"tests": nil, "failures": {endFailed}, "errors": {endErrored}},
	},
	{
		name: "test-results-parser", format: "junit", passed: "PASS", skipped: "SKIP", failed: "FAIL", errored: "FAIL", flaky: "PASS",
		counts: map[string][]string{"passed": {endPassed, endFlaky}, "failures": {endFailed}, "errors": {endErrored}, "skipped": {endSkipped}},
	},
	{
		name: "junit-to-ctrf", format: "junit", passed: "passed", skipped: "skipped", failed: "failed", errored: "failed", flaky: "passed",
		counts: map[string][]string{"tests": nil, "passed": {endPassed, endFlaky}, "failures": {endFailed, endErrored}, "skipped": {endSkipped}},
		cuts:   true,
	},
	// It does not know flaky tests, and shows the name of the element.
	{name: "xunit-viewer", format: "junit", passed: "passed", skipped: "skipped", failed: "failure", errored: "error", flaky: "flakyFailure"},
	{
		name: "ctrf", format: "ctrf", passed: "passed", skipped: "skipped", failed: "failed", errored: "failed", flaky: "passed",
		counts: map[string][]string{"tests": nil, "passed": {endPassed, endFlaky}, "failed": {endFailed, endErrored}, "skipped": {endSkipped}, "other": {}},
	},
}

// status returns the consumer's word for an end.
func (c consumer) status(end string) string {
	switch end {
	case endPassed:
		return c.passed
	case endSkipped:
		return c.skipped
	case endFailed:
		return c.failed
	case endFlaky:
		return c.flaky
	}
	return c.errored
}

// hardRuns are runs that readers trip over.
func hardRuns() map[string]api.Run {
	id := func(suite, test string) sdk.TestID { return sdk.TestID{Suite: suite, Test: test} }
	result := func(suite, test string, status sdk.Status) api.Result {
		return api.Result{TestResult: sdk.TestResult{TestID: id(suite, test), Status: status}, DurationS: 0.25}
	}
	failure := func(suite, test, kind, message string) api.Failure {
		return api.Failure{ID: suite + test, Failure: sdk.Failure{TestID: id(suite, test), Kind: kind, Message: message, Location: sdk.Location{File: "p/a_test.go", Line: 7}, Output: message}}
	}
	parent := result("p", "TestA", sdk.Failed)
	parent.Derived, parent.Container = true, true
	flaky := retried(api.Failed)
	flaky.Results = []api.Result{result("a", "Sometimes", sdk.Failed), result("a", "Always", sdk.Failed), result("a", "Other", sdk.Passed)}
	passes := retried(api.Passed)
	passes.Results = []api.Result{result("a", "Sometimes", sdk.Failed), result("a", "Other", sdk.Passed)}
	passes.Retried, passes.Failures, passes.FailuresTotal = passes.Retried[:1], passes.Failures[:1], 1
	const bytes = "]]>&amp;<![CDATA[\x00\x01\x1b[31m\xff\xfe\ufffe\u202e::error::x <script> 😀"
	return map[string]api.Run{
		"green": {Verdict: api.Passed, Counts: api.Counts{Passed: 2}, Results: []api.Result{result("p", "TestA", sdk.Passed), result("p", "TestA/x", sdk.Passed), result("q", "TestB", sdk.Skipped)}},
		"red with subtests": {
			Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{failure("p", "TestA/x=1,y \"2\"", "assertion", "got 1, want 2")},
			Results: []api.Result{result("p", "TestA/x=1,y \"2\"", sdk.Failed), result("p", "TestA/z", sdk.Passed), parent, result("p", "TestSkipped", sdk.Skipped)},
		},
		"tests that never started": {
			Verdict: api.Incomplete, Counts: api.Counts{Unfinished: 1, NeverStarted: 2}, Results: []api.Result{result("p", "TestA", sdk.Unfinished)},
			Unfinished: []sdk.TestID{id("p", "TestA")}, NeverStarted: []sdk.TestID{id("p", "TestB"), id("r", "TestC")},
		},
		"a build error": {
			Verdict: api.BuildFailed, FailuresTotal: 1, Failures: []api.Failure{failure("p", "", "build", "p/a.go:3:5: undefined: x\nnote: one more line")},
			Results: []api.Result{result("q", "TestB", sdk.Passed)},
		},
		"flaky, with retries":     flaky,
		"flaky, which may pass":   passes,
		"in quarantine":           {Verdict: api.NothingRan, FailuresTotal: 1, Failures: []api.Failure{{Quarantine: "known: #12", Failure: failure("p", "TestA", "assertion", "as ever").Failure}}, Results: []api.Result{result("p", "TestA", sdk.Failed)}},
		"nothing ran":             {Verdict: api.NothingRan, Reason: "no test matches"},
		"a tool error":            {Verdict: api.ToolError, Reason: "the plugin is gone"},
		"bytes that are not text": {Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{failure("p"+bytes, "Test"+bytes, "panic", bytes)}, Results: []api.Result{result("p"+bytes, "Test"+bytes, sdk.Failed), result("p"+bytes, "Test", sdk.Passed)}},
		"a timeout": {
			Verdict: api.Failed, TimedOut: true, FailuresTotal: 1, Failures: []api.Failure{failure("p", "TestA", "timeout", "test timed out after 1s")},
			Results: []api.Result{result("p", "TestA", sdk.Unfinished)}, Unfinished: []sdk.TestID{id("p", "TestA")}, Counts: api.Counts{Unfinished: 1},
		},
	}
}

// endsOf returns how the cases of a run ended, by suite and name, from the Run object.
func endsOf(t *testing.T, run api.Run, junit []byte) map[string]string {
	t.Helper()
	flaky := map[string]bool{}
	for _, r := range run.Retried {
		flaky[showing(run, r.TestID)] = r.Flaky
	}
	want, ends := expected(run), map[string]string{}
	for name, element := range junitCases(t, junit) {
		statuses := strings.Fields(want[name])
		if len(statuses) != 1 {
			// The case belongs to no test, or shares its name with others: take what JUnit
			// says, which the test of all formats compares with the run.
			element, _, _ = strings.Cut(element, " ")
			statuses = []string{map[string]string{"failure": endFailed}[element]}
			if statuses[0] == "" {
				statuses[0] = element
			}
			if element == "error" && strings.Contains(name, "never_started") {
				statuses[0] = "never_started"
			}
		}
		switch end := statuses[0]; {
		case end == "passed" && flaky[name]:
			ends[name] = endFlaky
		case end == "quarantined":
			ends[name] = endSkipped
		case end == "unfinished", end == "never_started", end == "did_not_run":
			ends[name] = endErrored
		default:
			ends[name] = end
		}
	}
	return ends
}

// Readers see what these programs show, whatever a schema says.
func TestEveryConsumerSeesTheRunAsItWas(t *testing.T) {
	needs.WholeSuite(t)
	modules := needs.Installed(t, "consumers")
	reading := startNode(t, "consumers.mjs", filepath.Join(modules, "node_modules"))
	dir := t.TempDir()
	runs := hardRuns()
	rnd := rand.New(rand.NewPCG(18, 7))
	for i := range 40 {
		run, _ := randomRun(rnd)
		runs["random "+strconv.Itoa(i)] = run
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		run := runs[name]
		files, texts := map[string]string{}, map[string][]byte{}
		for _, format := range []string{"junit", "ctrf"} {
			var b bytes.Buffer
			write(t, &b, format, report.Options{Version: "1.0.0"}, api.RunFinished{Run: run, Record: record{run}})
			files[format], texts[format] = filepath.Join(dir, format+map[string]string{"junit": ".xml", "ctrf": ".json"}[format]), b.Bytes()
			if err := os.WriteFile(files[format], b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ends := endsOf(t, run, texts["junit"])
		for _, c := range consumers {
			var answer struct {
				Value consumed
				Error string
			}
			reading.ask(map[string]string{"reader": c.name, "file": files[c.format]}, &answer)
			if answer.Error != "" {
				t.Errorf("%s: %s refuses the report: %s\n%s", name, c.name, answer.Error, texts[c.format])
				continue
			}
			c.compare(t, name, ends, answer.Value)
		}
		if t.Failed() {
			t.Fatalf("%s\n%s", texts["junit"], texts["ctrf"])
		}
	}
}

// beyond matches the characters that UTF-16 has two units for.
var beyond = regexp.MustCompile(`[\x{10000}-\x{10ffff}]`)

// compare checks what a consumer reads against how the cases ended.
func (c consumer) compare(t *testing.T, run string, ends map[string]string, got consumed) {
	t.Helper()
	seen, want := map[string]string{}, map[string]string{}
	for _, one := range got.Cases {
		seen[strings.Join(strings.Fields(one.Suite+" "+one.Name), " ")] += one.Status + " "
	}
	for name, end := range ends {
		if c.cuts {
			name = beyond.ReplaceAllString(name, "\ufffd\ufffd")
		}
		want[strings.Join(strings.Fields(name), " ")] += c.status(end) + " "
	}
	if len(got.Cases) != len(ends) || !maps.Equal(seen, want) {
		t.Errorf("%s: %s reads %q, want %q", run, c.name, seen, want)
	}
	for count, of := range c.counts {
		n := 0
		for _, end := range ends {
			if of == nil || slices.Contains(of, end) {
				n++
			}
		}
		if got, ok := got.Counts[count].(float64); !ok || int(got) != n {
			t.Errorf("%s: %s counts %v %s, and there are %d", run, c.name, got, count, n)
		}
	}
}

// annotated matches an annotation of a failing test.
var annotated = regexp.MustCompile(`(?m)^::error title=Failed Test%3A ([^,]*),file=([^,]*),line=(\d+)`)

func TestAJobOfGitHubReadsTheReport(t *testing.T) {
	needs.WholeSuite(t)
	modules, node := needs.Installed(t, "consumers"), needs.Program(t, "node")
	run := hardRuns()["red with subtests"]
	dir := t.TempDir()
	file, summary := filepath.Join(dir, "ctrf.json"), filepath.Join(dir, "summary.md")
	var b bytes.Buffer
	write(t, &b, "ctrf", report.Options{Version: "1.0.0"}, api.RunFinished{Run: run, Record: record{run}})
	for path, data := range map[string][]byte{file: b.Bytes(), summary: nil} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(modules, "node_modules/github-actions-ctrf/dist/core/cli.js"), "summary", file)
	cmd.Env = append(os.Environ(), "GITHUB_REPOSITORY=o/r", "GITHUB_RUN_ID=1", "GITHUB_WORKFLOW=w", "GITHUB_STEP_SUMMARY="+summary)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said, err := os.ReadFile(summary)
	if err != nil || !bytes.Contains(said, []byte("| 3 | 1 | 1 | 1 | 0 | 0 | 0 |")) {
		t.Errorf("%v: the summary is\n%s", err, said)
	}
	if got := annotated.FindAllStringSubmatch(string(out), -1); len(got) != 1 || got[0][1] != `TestA/x=1%2Cy "2"` || got[0][2] != "p/a_test.go" || got[0][3] != "7" {
		t.Errorf("annotated are %q in\n%s", got, out)
	}
}
