package mcp

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// notOnRecord reports whether a run could not be found.
func notOnRecord(err error) bool {
	var (
		none    *api.NoRunError
		unknown *api.UnknownRunError
	)
	return errors.As(err, &none) || errors.As(err, &unknown)
}

// unrecorded is the run that a call means where the session had it and it is not on
// record: it was of sources that came with the call, or the record is gone or could
// not be written. An older run must not be told of in its place; pages are those
// that are on record.
func (c *call) unrecorded(id, language string, where api.Where, pages []failuresPage) (api.Run, bool) {
	j, ok := c.session.desk.find(id, where.Dir)
	if !ok || !j.ended() || j.outcome.run == nil {
		return api.Run{}, false
	}
	run := *j.outcome.run
	recorded := slices.ContainsFunc(pages, func(p failuresPage) bool {
		return p.Run.RunID == run.RunID || p.Run.StartedAt.After(run.StartedAt)
	})
	return run, !recorded && (language == "" || language == run.Language)
}

// heldPage is a part of the failures of a run that is not on record.
func heldPage(run api.Run, offset, limit int) api.FailuresPage {
	page := api.FailuresPage{Recorded: len(run.Failures)}
	run.Failures = slices.Clone(run.Failures)
	slices.SortStableFunc(run.Failures, func(a, b api.Failure) int { return cmp.Compare(rank(a), rank(b)) })
	offset = min(max(offset, 0), len(run.Failures))
	run.Failures = run.Failures[offset:]
	run.Failures = run.Failures[:min(api.ClampFailuresLimit(limit), len(run.Failures))]
	page.Run = run
	page.Age = max(time.Since(run.StartedAt.Add(time.Duration(run.DurationS*float64(time.Second)))), 0)
	return page
}
