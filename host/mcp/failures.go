package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/query"
)

type lastTestFailuresArgs struct {
	api.FailuresRequest
	placing
}

func (a *lastTestFailuresArgs) Params() []api.Param {
	return append(arguments.Reword(a.FailuresRequest.Params(), "language", "Default: the last run of each."), a.runPlace())
}

func lastTestFailures() tool {
	return tool{
		name: "last_test_failures", hints: reads, always: true,
		description: "Failures of this session's last run: id, file:line, message, diff.",
		action:      take(handleLastTestFailures),
	}
}

// failuresObject is what failed in a run.
type failuresObject struct {
	RunID    string `json:"run_id"`
	Language string `json:"language"`
	// Status is as in the answer to a run.
	Status  string      `json:"status,omitempty"`
	Verdict api.Verdict `json:"verdict,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	AgeS    float64     `json:"age_s"`
	Counts  *runCounts  `json:"counts,omitempty"`
	// Outstanding is what was outstanding when the run ended.
	Outstanding *int `json:"outstanding,omitempty"`
	// Quarantined counts the failed tests whose known failure does not decide.
	Quarantined   int `json:"quarantined,omitempty"`
	FailuresTotal int `json:"failures_total"`
	// Failures are the failures of the page.
	Failures   []toldFailure  `json:"failures"`
	NextOffset int            `json:"next_offset,omitempty"`
	Message    string         `json:"message"`
	More       string         `json:"more,omitempty"`
	Running    string         `json:"running,omitempty"`
	Stale      *api.Stale     `json:"stale,omitempty"`
	Integrity  *api.Integrity `json:"integrity,omitempty"`
}

// failuresOfEach has the failures of the last runs of several languages.
type failuresOfEach struct {
	FailuresTotal int              `json:"failures_total"`
	Runs          []failuresObject `json:"runs"`
	Message       string           `json:"message"`
}

func handleLastTestFailures(ctx context.Context, c *call, args lastTestFailuresArgs) (answer, error) {
	where, err := c.whereRun(ctx, args.Workspace, args.Ref)
	if err != nil {
		return answer{}, err
	}
	args.Where = where
	pages, err := readFailurePages(ctx, c, args.FailuresRequest)
	if err != nil {
		return answer{}, err
	}
	offset := max(args.Offset, 0)
	var all []answer
	for _, p := range pages {
		if p.from, p.named = offset, args.Ref != ""; !p.named {
			p.refused = c.session.jobs.refusalIn(namedDir(args.Workspace, where))
		}
		bound := maxAnswerBytes/len(pages) - failuresReserve
		all = append(all, fitAnswer(bound, min(len(p.Run.Failures), 1), len(p.Run.Failures), p.answer))
	}
	return c.nameWorkspace(ctx, where, oneOfEach(all))
}

// readFailurePages returns the failures of a run, or of the last run of each language.
func readFailurePages(ctx context.Context, c *call, args api.FailuresRequest) ([]failuresPage, error) {
	k := c.session.keeper
	requests, err := ledger.SplitByLanguage(ctx, k, args.LastRun)
	if err != nil && !notOnRecord(err) {
		return nil, err
	}
	var pages []failuresPage
	unrun := err
	for _, each := range requests {
		page, err := query.FailuresFrom(ctx, k, each, args.Offset, args.Limit)
		switch {
		case err == nil:
			pages = append(pages, newFailuresPage(page))
		case notOnRecord(err):
			unrun = err // another language may have one
		default:
			return nil, err
		}
	}
	if run, ok := findUnrecorded(c, args.Ref, args.Language, args.Where, pages); ok {
		page := newFailuresPage(heldPage(run, args.Offset, args.Limit))
		page.held = true
		pages = append([]failuresPage{page}, slices.DeleteFunc(pages, func(p failuresPage) bool { return p.Run.Language == run.Language })...)
	}
	if len(pages) == 0 {
		return nil, unrun
	}
	if none, ok := errors.AsType[*api.NoRunError](unrun); ok && none.Running != "" && pages[0].Run.Running == "" {
		pages[0].Run.Running = none.Running
	}
	return pages, nil
}

// failuresReserve is the room for what joins several answers.
const failuresReserve = 1 << 10

// oneOfEach joins the answers about the languages.
func oneOfEach(all []answer) answer {
	if len(all) == 1 {
		return all[0]
	}
	a, each := answer{}, failuresOfEach{}
	var messages []string
	for _, one := range all {
		a.text = append(a.text, one.text...)
		o := one.object.(failuresObject)
		each.Runs, each.FailuresTotal = append(each.Runs, o), each.FailuresTotal+o.FailuresTotal
		messages = append(messages, o.Message)
	}
	each.Message = strings.Join(messages, "\n")
	a.object = each
	return a
}

// notOnRecord reports whether a run could not be found.
func notOnRecord(err error) bool {
	var (
		none    *api.NoRunError
		unknown *api.UnknownRunError
	)
	return errors.As(err, &none) || errors.As(err, &unknown)
}

// findUnrecorded returns the run that a call means if the session had it but it is not
// on record: it was of sources that came with the call, or the record is gone or could
// not be written. An older run must not replace it; pages are the recorded ones.
func findUnrecorded(c *call, id, language string, where api.Where, pages []failuresPage) (api.Run, bool) {
	j, ok := c.session.jobs.find(id, where.Dir)
	if !ok || !j.hasEnded() || j.outcome.run == nil {
		return api.Run{}, false
	}
	run := *j.outcome.run
	recorded := slices.ContainsFunc(pages, func(p failuresPage) bool {
		return p.Run.RunID == run.RunID || p.Run.StartedAt.After(run.StartedAt)
	})
	return run, !recorded && (language == "" || language == run.Language)
}

// heldPage returns a part of the failures of a run that is not on record.
func heldPage(run api.Run, offset, limit int) api.FailuresPage {
	page := api.FailuresPage{Recorded: len(run.Failures)}
	run.Failures = query.PageFailures(run.Failures, offset, limit)
	page.Run = run
	page.Age = max(time.Since(run.StartedAt.Add(time.Duration(run.DurationS*float64(time.Second)))), 0)
	return page
}
