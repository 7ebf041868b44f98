package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/report"
)

// The values of output that ask for the results of all tests, as data.
const (
	outputResults = "results"
	outputForge   = "forge-response"
)

// maxResults is how many results a page has at most.
const maxResults = 200

// resultsPage is what the object of a page of results has beside them.
type resultsPage struct {
	RunID       string      `json:"run_id"`
	Status      string      `json:"status"`
	Verdict     api.Verdict `json:"verdict,omitempty"`
	Kind        api.Kind    `json:"kind"`
	Outstanding int         `json:"outstanding"`
	// Total counts the results, NextOffset is where the next page begins.
	Total      int    `json:"results_total"`
	NextOffset int    `json:"next_offset,omitempty"`
	Message    string `json:"message"`
	More       string `json:"more,omitempty"`
}

// resultsObject has results as in the Run object.
type resultsObject struct {
	resultsPage
	Results []api.Result `json:"results"`
}

// forgeObject has them as in a test response of forge, whose counts are of all pages.
type forgeObject struct {
	resultsPage
	report.ForgeResponse
}

// answerResults returns the answer with a page of a run's results.
func answerResults(ctx context.Context, c *call, t runTelling, output string) (answer, error) {
	run := t.run
	if output == outputForge && run.Language != report.ForgeLanguage {
		return answer{}, &arguments.Error{Reason: fmt.Sprintf("%s: output %s is for runs of forge, and run %s is of %s tests; output %s is for those of every language", c.tool, outputForge, run.RunID, prose.Line(run.Language), outputResults)}
	}
	if filepath.IsAbs(run.Workspace) { // else it is an upload, which has them itself
		var err error
		if run, _, err = query.Show(ctx, c.session.keeper, api.LastRun{Where: api.Where{Dir: run.Workspace, Exact: true}, Ref: run.RunID}); err != nil {
			return answer{}, err
		}
	}
	more := strings.TrimSuffix(factsOf(t), "\n")
	from := min(max(c.offset, 0), len(run.Results))
	most := min(len(run.Results)-from, maxResults)
	return fitAnswer(maxAnswerBytes, min(most, 1), most, func(n int) answer { return pageOfResults(run, output, more, from, n) }), nil
}

// pageOfResults returns the answer with n results from one on.
func pageOfResults(run api.Run, output, more string, from, n int) answer {
	page := resultsPage{RunID: run.RunID, Status: statusOf(run), Kind: run.Kind, Outstanding: run.Outstanding, Total: len(run.Results), More: more}
	if page.Status != string(run.Verdict) {
		page.Verdict = run.Verdict
	}
	page.Message = fmt.Sprintf("run %s: results %d-%d of %d%s", run.RunID, from+1, from+n, page.Total, notListed(run))
	switch {
	case page.Total == 0:
		page.Message = "no results of run " + run.RunID + " are on record" + notListed(run)
	case n == 0:
		page.Message = fmt.Sprintf("run %s has %d results, and none from offset %d on", run.RunID, page.Total, from)
	case from+n < page.Total:
		page.NextOffset = from + n
		page.Message += fmt.Sprintf("; get_run{\"run_id\":%q,\"output\":%q,\"offset\":%d} has the next ones", run.RunID, output, page.NextOffset)
	}
	var object any
	var lines []string
	if output == outputForge {
		o := forgeObject{page, limits.Of(report.ForgeResponseOf(run).Cases(from, n))}
		object, lines = o, append(lines, dataLine(o.ForgeResponse))
	} else {
		o := resultsObject{page, limits.Of(append([]api.Result{}, run.Results[from:from+n]...))}
		for _, r := range o.Results {
			lines = append(lines, dataLine(r))
		}
		object = o
	}
	a := answer{text: []string{page.Message, more}, object: object, failed: run.Verdict == api.ToolError}
	if len(lines) > 0 {
		a.text = append(a.text, strings.Join(lines, "\n"))
	}
	return a
}

// notListed says what a run has beside the results on record: "" if nothing.
func notListed(run api.Run) string {
	c, text := run.Counts, ""
	if all := c.Passed + c.Failed + c.Skipped + c.Unfinished; all > len(run.Results) {
		text = fmt.Sprintf(", and the run had %d: the others are not on record", all)
	}
	didNotRun := slices.ContainsFunc(run.Requested, func(r api.Requested) bool { return r.Outcome == api.OutcomeDidNotRun })
	if didNotRun || c.NeverStarted+c.BuildFailed > 0 || c.Failed == 0 && run.FailuresTotal > 0 {
		text += fmt.Sprintf("; last_test_failures{\"run_id\":%q} has what is red without a result", run.RunID)
	}
	return text
}

// dataLine formats data for a text.
func dataLine(v any) string {
	raw, err := prose.JSON(v)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(string(raw), "\n")
}
