package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/standing"
)

// The answers to every question about an empty history: of a new workspace, and of one that
// lost it.
const (
	nothingOnRecord = "nothing is on record in this workspace yet: the first run begins its history"
	historyGone     = "the history of this workspace is gone: the next run begins another one; the runs that are left are still on record"
)

// History answers a question about the record. It starts no plugin.
func History(ctx context.Context, k *ledger.Keeper, req api.HistoryRequest) (api.History, error) {
	answer := api.History{Schema: api.HistorySchema}
	if err := checkHistoryRequest(req); err != nil {
		return answer, err
	}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	var none *api.NoRunError
	if err != nil && !errors.As(err, &none) {
		return answer, err
	}
	q := &question{ledger: led, req: req, limit: api.ClampHistoryLimit(req.Limit), now: k.Cfg.Now(), answer: answer}
	if led != nil {
		err = q.find(ctx)
	} else {
		err = q.explainNothing()
	}
	return q.answer, err
}

// question is one question about the history, with its answer so far.
type question struct {
	ledger    *ledger.Ledger
	req       api.HistoryRequest
	limit     int
	now       time.Time
	languages []string
	// judge and complete are what all lists of tests are judged by, once there is one.
	judge    *standing.Judge
	complete map[string]standing.CompleteSet
	answer   api.History
}

// find finds the answer.
func (q *question) find(ctx context.Context) error {
	if err := q.readSpan(ctx); err != nil {
		return err
	}
	if q.answer.Span.Runs == 0 {
		return q.explainNothing()
	}
	if q.req.Language != "" {
		if !slices.Contains(q.languages, q.req.Language) {
			return &api.UsageError{
				Reason: fmt.Sprintf("no %s run is on record", prose.Line(q.req.Language)),
				Fix:    "languages that have runs: " + strings.Join(q.languages, ", "),
			}
		}
		q.languages = []string{q.req.Language}
	}
	var of found
	if q.req.Name != "" {
		var err error
		if of, err = findTests(ctx, q.ledger, q.req.Language, q.req.Name); err != nil {
			return err
		}
	}
	switch {
	case q.req.Slow:
		return q.listDurations(ctx, of)
	case q.req.Rates:
		return q.listRates(ctx, of)
	case len(q.req.Measures) > 0:
		return q.listMeasures(ctx, of)
	case of.test != nil && len(of.tests) == 0:
		return q.listTimeline(ctx, *of.test)
	case of.file != "":
		if err := q.addEntries(ctx, of.file); err != nil {
			return err
		}
		return q.list(ctx, of.tests, true)
	case len(of.tests) > 0:
		return q.list(ctx, of.tests, true)
	}
	return q.listWorthKnowing(ctx)
}

// explainNothing says that there is no record at all.
func (q *question) explainNothing() error {
	why := nothingOnRecord
	if q.ledger != nil && artifacts.HasRuns(q.ledger.Artifacts) {
		why = historyGone
	}
	if q.req.Name != "" {
		return &api.UsageError{Reason: fmt.Sprintf(`no test or file "%s" is on record`, prose.Line(q.req.Name)), Fix: why}
	}
	q.answer.Message = why
	return nil
}

// readSpan reads what is on record: how many runs, of which languages, and since when.
func (q *question) readSpan(ctx context.Context) error {
	span, err := q.ledger.History.Span(ctx)
	if err != nil || span.Runs == 0 {
		return err
	}
	q.languages = span.Languages
	q.answer.Span = api.HistorySpan{
		Runs: span.Runs, Sessions: span.Sessions, Since: &span.Since, AgeS: standing.AgeSeconds(q.now, span.Since),
	}
	return nil
}

// addEntries adds how a file stood at the end of sessions.
func (q *question) addEntries(ctx context.Context, file string) error {
	entries, err := q.ledger.History.Entries(ctx)
	if err != nil {
		return err
	}
	q.answer.File = file
	for _, e := range slices.Backward(entries) {
		if e.File == file {
			q.answer.Entries = append(q.answer.Entries, e)
		}
	}
	q.answer.EntriesTotal = len(q.answer.Entries)
	q.answer.Entries = q.answer.Entries[:min(len(q.answer.Entries), q.limit)]
	return nil
}

// classifications are those that can be asked for.
func classifications() []api.Classification {
	return []api.Classification{api.Gap, api.Steady, api.Fixed, api.Regression, api.Failing, api.Unsteady}
}

// checkHistoryRequest refuses requests that make no sense.
func checkHistoryRequest(r api.HistoryRequest) error {
	if c := r.Classification; c != "" {
		var words []string
		known := false
		for _, k := range classifications() {
			known = known || k == c
			words = append(words, string(k))
		}
		if !known {
			return &api.UsageError{Reason: fmt.Sprintf("there is no classification %q", c), Fix: "give one of " + strings.Join(words, ", ")}
		}
	}
	switch {
	case r.Slow && len(r.Measures) > 0 || r.Rates && (r.Slow || len(r.Measures) > 0):
		return &api.UsageError{Reason: "the slowest tests, failure rates and measures are separate lists", Fix: "ask for one of them"}
	case (r.Slow || r.Rates || len(r.Measures) > 0) && narrowsHistory(r):
		return &api.UsageError{
			Reason: "durations, failure rates and measures cannot be filtered by classification, recurring or flaky",
			Fix:    "leave that out, or name a test or file",
		}
	}
	return nil
}

// narrowsHistory reports whether the request filters a list of tests.
func narrowsHistory(r api.HistoryRequest) bool {
	return r.Classification != "" || r.Recurring || r.Flaky
}

// fitsRequest reports whether a test is among the requested ones.
func fitsRequest(r api.HistoryRequest, t api.TestHistory) bool {
	return (r.Classification == "" || t.Classification == r.Classification) &&
		(!r.Recurring || t.Recurring) && (!r.Flaky || t.IsFlaky())
}
