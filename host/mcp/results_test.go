package mcp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/upload"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// measuredReport has so many tests with gas, the first of which fails.
func measuredReport(n int) fakeplugin.Report {
	var r fakeplugin.Report
	for i := range n {
		test := sdk.TestResult{TestID: sdk.TestID{Suite: "test/A.t.sol:A", Test: fmt.Sprintf("test_%03d()", i)}, Status: sdk.Passed}
		if i == 0 {
			test.Status = sdk.Failed
		} else {
			test.Measures = []sdk.Measure{{Name: "gas", Value: json.Number(fmt.Sprint(1000 + i)), Kind: "unit"}}
		}
		r.Tests = append(r.Tests, test)
	}
	return r
}

type resultsAnswered struct {
	resultsPage
	Results []api.Result
	report.ForgeResponse
}

// readResults returns the object of an answer, and the lines of data in its text.
func readResults(t *testing.T, r result) (o resultsAnswered, lines []string) {
	t.Helper()
	if err := json.Unmarshal(r.raw, &o); err != nil {
		t.Fatalf("%v in %s", err, r.raw)
	}
	for line := range strings.SplitSeq(r.text(), "\n") {
		if json.Valid([]byte(line)) {
			lines = append(lines, line)
		}
	}
	return o, lines
}

func TestResultsAreDataInPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, bare(), withoutGo(), withPlugin(t, fakeOther))
	s.write(t, files{fakeplugin.ReportFile: measuredReport(maxResults + 50).Encode()})
	c := s.connect(t)
	first := c.call(t, "run_tests", with{"output": outputResults})
	o, lines := readResults(t, first)
	if o.Status != "failed" || o.Total != maxResults+50 || len(o.Results) != maxResults || len(lines) != maxResults || o.NextOffset != maxResults {
		t.Fatalf("%+v, %d results, %d lines of text", o.resultsPage, len(o.Results), len(lines))
	}
	if !strings.Contains(first.text(), "failed: 1 failure") || !strings.Contains(lines[1], `"measures":[{"name":"gas","value":1001,"kind":"unit"}]`) {
		t.Errorf("%q, %s", first.texts[:2], lines[1])
	}
	rest, lines := readResults(t, c.call(t, "get_run", with{"output": outputResults, "offset": o.NextOffset}))
	if len(rest.Results) != 50 || len(lines) != 50 || rest.NextOffset != 0 || rest.RunID != o.RunID || rest.Results[0].Test != "test_200()" {
		t.Errorf("%+v, %d results, %d lines of text", rest.resultsPage, len(rest.Results), len(lines))
	}
	if past := c.call(t, "get_run", with{"output": outputResults, "offset": 9999}); past.str("status") != "failed" || !strings.Contains(past.text(), "has 250 results, and none from") {
		t.Errorf("%q", past.texts)
	}
	refused := c.call(t, "get_run", with{"output": outputForge})
	if !refused.failed || refused.str("code") != codeInvalidRequest || !strings.Contains(refused.text(), "output results") {
		t.Errorf("%q", refused.texts)
	}
}

func TestAForgeResponseHasPagesAndTheCountsOfAll(t *testing.T) {
	t.Parallel()
	s := newSite(t, bare(), withoutGo(), withPlugin(t, report.ForgeLanguage))
	s.write(t, files{fakeplugin.ReportFile: measuredReport(maxResults + 50).Encode()})
	c := s.connect(t)
	seen := map[string]uint64{}
	for tool, args := range map[string]with{"run_tests": {}, "get_run": {"offset": maxResults}} {
		if tool == "get_run" && len(seen) == 0 {
			c.call(t, "run_tests", nil)
		}
		args["output"] = outputForge
		o, lines := readResults(t, c.call(t, tool, args))
		if o.Passed != maxResults+49 || o.Failed != 1 || o.Error == nil || o.Error.Code != "TEST_ASSERTION_FAILED" || len(lines) != 1 {
			t.Errorf("%s: %+v, %d lines", tool, o, len(lines))
		}
		for _, s := range o.Suites {
			for _, test := range s.Cases {
				seen[test.Name] = test.Gas
			}
		}
	}
	if len(seen) != maxResults+50 || seen["test_249()"] != 1249 {
		t.Errorf("%d cases, %d", len(seen), seen["test_249()"])
	}
}

// An upload is not on record: its run has the results itself.
func TestResultsOfAnUploadAreThoseThatItsRunHas(t *testing.T) {
	t.Parallel()
	server := New(Config{})
	run := api.Run{RunID: "r", Workspace: upload.UploadWorkspace, Language: report.ForgeLanguage, State: api.StateFinished, Verdict: api.Passed}
	for _, test := range measuredReport(3).Tests[1:] {
		run.Results = append(run.Results, api.Result{TestResult: test})
	}
	for output, want := range map[string]string{outputResults: `"value":1002`, outputForge: `"passed":2,"failed":0`} {
		a, err := (&call{session: server.session(nil)}).ofRun(t.Context(), runTelling{run: run}, output)
		if err != nil || !strings.Contains(strings.Join(a.text, "\n"), want) || !strings.Contains(a.text[0], "results 1-2 of 2") {
			t.Errorf("%s: %v, %q", output, err, a.text)
		}
	}
}

// Where there is no project of Foundry, no tool offers its response.
func TestOnlyProjectsOfFoundryAreOfferedItsResponse(t *testing.T) {
	for _, tool := range tools() {
		raw := func(foundry bool) string { return string(tool.definition(foundry).InputSchema.(json.RawMessage)) }
		if strings.Contains(raw(false), outputForge) || strings.Contains(raw(true), `"raw"`) != strings.Contains(raw(true), outputForge) {
			t.Errorf("%s: %s", tool.name, raw(true))
		}
	}
}

// A page of results must not look like all that there was to say of a run.
func TestAPageOfResultsSaysWhatIsNotAmongThem(t *testing.T) {
	t.Parallel()
	const red = `; last_test_failures{"run_id":"r"} has what is red without a result`
	one := []api.Result{{}}
	for want, run := range map[string]api.Run{
		"": {Results: one, Counts: api.Counts{Failed: 1}, FailuresTotal: 1},
		", and the run had 3: the others are not on record": {Results: one, Counts: api.Counts{Passed: 2, Skipped: 1}},
		red: {Results: one, Counts: api.Counts{Passed: 1, BuildFailed: 1}, FailuresTotal: 1},
		", and the run had 1: the others are not on record" + red: {
			Counts: api.Counts{Passed: 1}, Requested: []api.Requested{{Outcome: api.OutcomeDidNotRun}},
		},
	} {
		if run.RunID = "r"; notListed(run) != want {
			t.Errorf("%q, want %q", notListed(run), want)
		}
	}
}

// What cannot be read does not cost the verdict.
func TestResultsThatCannotBeReadLeaveTheSummary(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, bare())
	c := s.connect(t)
	id := c.call(t, "run_tests", nil).str("run_id")
	path := filepath.Join(s.dir, ".proctor", "runs", id, "results.jsonl")
	testfiles.Write(t, path, "{\n{}\n")
	r := c.call(t, "get_run", with{"output": outputResults})
	if r.str("status") != "passed" || !strings.Contains(r.text(), "the results could not be read, so this is the summary") {
		t.Errorf("%q, %v", r.texts, r.object)
	}
}
