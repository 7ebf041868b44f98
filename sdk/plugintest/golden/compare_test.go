package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

func newEvents() *golden.Events {
	id := sdk.TestID{Suite: "s", Test: "a"}
	return &golden.Events{
		Tests:     []sdk.TestResult{{TestID: id, Status: sdk.Failed}, {TestID: sdk.TestID{Suite: "s", Test: "b"}, Status: sdk.Passed}},
		Failures:  []sdk.Failure{{TestID: id, Kind: "assertion", Message: "no", Location: sdk.Location{File: "a.x", Line: 3}}},
		Suites:    []sdk.SuiteResult{{Suite: "s", Outcome: sdk.SuiteFailed}},
		RunErrors: []string{"one", "two"},
	}
}

// readWant reads a case with this want.json.
func readWant(t *testing.T, text string) (golden.Case, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "case")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"stdout.txt": "x\n", "want.json": text} {
		testfiles.Write(t, filepath.Join(dir, name), content)
	}
	return golden.ReadCase(t.Context(), dir)
}

func TestOnlyFieldsOfAWantAreCompared(t *testing.T) {
	for want, says := range map[string]string{
		`{}`:                             "",
		`{"counts": {"failed": 1}}`:      "",
		`{"counts": {"failed": 2}}`:      "counts.failed is 1, want 2",
		`{"run_errors": ["two", "one"]}`: "",
		`{"run_errors": ["two"]}`:        "run_errors are",
		`{"damaged": true}`:              "damaged is false, want true",
		`{"suites": [{"suite": "s", "outcome": "passed"}]}`:                                                             `suite "s": outcome is "failed", want "passed"`,
		`{"tests": [{"suite": "s", "name": "b", "status": "passed"}, {"suite": "s", "name": "a", "status": "failed"}]}`: "",
		`{"tests": [{"suite": "s", "name": "b", "status": "passed"}]}`:                                                  `test "s a" was reported but not expected`,
		`{"tests": []}`: "but not expected",
		`{"failures": [{"suite": "s", "name": "a"}]}`:             "",
		`{"failures": [{"suite": "s", "name": "a", "line": 4}]}`:  "line is 3, want 4",
		`{"failures": [{"suite": "s", "name": "a", "got": ""}]}`:  "",
		`{"failures": [{"suite": "s", "name": "a", "got": "1"}]}`: `got is "", want "1"`,
		`{"failures": [{"suite": "s", "name": "c"}]}`:             `failure "s c" was not reported`,
	} {
		c, err := readWant(t, want)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(c.Want.Compare(newEvents()), "\n")
		if says == "" && got != "" || !strings.Contains(got, says) {
			t.Errorf("%s: %q, want %q", want, got, says)
		}
	}
}

func TestAnObservedWantMatchesItsReport(t *testing.T) {
	if found := golden.Observed(newEvents()).Compare(newEvents()); len(found) > 0 {
		t.Errorf("%q", found)
	}
}

func TestAForgedTestIsDetected(t *testing.T) {
	c, err := readWant(t, `{"absent": [{"suite": "s", "name": "b"}, {"suite": "s", "name": "c"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if found := c.Want.Pretended(newEvents()); len(found) != 1 || found[0].Name != "b" {
		t.Errorf("%v", found)
	}
}

func TestAMisspeltFieldIsAnError(t *testing.T) {
	for _, text := range []string{`{"testz": []}`, `{"counts": {"pased": 1}}`, `[]`, `{`, ``, `{} {}`, `{"tests": []} x`} {
		if _, err := readWant(t, text); err == nil || !strings.Contains(err.Error(), "want.json") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAMisspeltFieldErrorListsTheFields(t *testing.T) {
	_, err := readWant(t, `{"testz": []}`)
	if err == nil || !strings.Contains(err.Error(), `unknown field "testz" (its fields are counts, tests, `) {
		t.Error(err)
	}
}

func TestACaseNeedsAnOutput(t *testing.T) {
	dir := t.TempDir()
	if _, err := golden.ReadCase(t.Context(), dir); err == nil {
		t.Error("a case without an output was read")
	}
	if _, err := golden.ReadCases(t.Context(), dir); err == nil {
		t.Error("a directory without a case was read")
	}
}

func TestChunksJoinToTheWhole(t *testing.T) {
	data := []byte(strings.Repeat("line\n", 100))
	for _, c := range []golden.Chunking{golden.WholeChunks, golden.RandomChunks, 1, 7} {
		var joined []byte
		for _, chunk := range c.Cut(data) {
			joined = append(joined, chunk...)
		}
		if string(joined) != string(data) {
			t.Errorf("chunking by %d loses bytes", c)
		}
	}
}
