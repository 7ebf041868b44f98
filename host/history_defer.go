package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// DeferRequest sets a failing test aside.
type DeferRequest struct {
	Where Where
	// Name is a test, or the unique end of its name.
	Name string
	// Language narrows; empty is any.
	Language string
	// Reason is the user's own, for the reader.
	Reason string
	// Lift takes a deferral back.
	Lift bool
}

// maxReason bounds what a user writes down: a sentence or two.
const maxReason = 500

// Defer sets a failing test aside, or takes that back. It never starts a plugin,
// and changes no verdict.
func (h *Host) Defer(ctx context.Context, req DeferRequest) (record.Deferrals, error) {
	answer := record.Deferrals{Schema: record.DeferralsSchema, Deferred: []record.Deferral{}}
	req.Reason = strings.TrimSpace(req.Reason)
	switch {
	case len(req.Reason) > maxReason:
		return answer, &UsageError{Reason: fmt.Sprintf("the reason is longer than %d bytes", maxReason), Fix: "say it shorter"}
	case req.Lift && req.Reason != "":
		return answer, &UsageError{Reason: "lifting a deferral takes no reason"}
	}
	m, err := h.recall(ctx, req.Where)
	var none *NoRunError
	if errors.As(err, &none) {
		return answer, &UsageError{Reason: fmt.Sprintf(`no test "%s" is on record`, report.Line(req.Name)), Fix: nothingOnRecord}
	}
	if err != nil {
		return answer, err
	}
	if req.Lift {
		lifted, err := m.lift(ctx, req)
		if err == nil {
			answer.Lifted = []record.Deferral{m.deferral(lifted)}
		}
		return answer, err
	}
	d, err := m.setAside(ctx, req)
	if err == nil {
		answer.Deferred = append(answer.Deferred, m.deferral(d))
	}
	return answer, err
}

// Deferred lists what is set aside, the latest last, where the request says.
// Without any record nothing is.
func (h *Host) Deferred(ctx context.Context, req DeferRequest) (record.Deferrals, error) {
	answer := record.Deferrals{Schema: record.DeferralsSchema, Deferred: []record.Deferral{}}
	m, err := h.recall(ctx, req.Where)
	var none *NoRunError
	if errors.As(err, &none) {
		return answer, nil
	}
	if err != nil {
		return answer, err
	}
	deferred, err := m.deferrals(ctx)
	for _, d := range deferred {
		if req.Language == "" || d.Language == req.Language {
			answer.Deferred = append(answer.Deferred, m.deferral(d))
		}
	}
	slices.SortFunc(answer.Deferred, func(a, b record.Deferral) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Language, b.Language))
	})
	return answer, err
}

// setAside puts a deferral on record.
func (m *memory) setAside(ctx context.Context, req DeferRequest) (history.Deferral, error) {
	of, err := m.find(ctx, req.Language, req.Name)
	if err != nil {
		return history.Deferral{}, err
	}
	if of.test == nil {
		return history.Deferral{}, &UsageError{Reason: fmt.Sprintf(`"%s" is no test`, report.Line(req.Name)), Fix: "one test at a time is set aside; name one"}
	}
	if err := m.checkFailing(ctx, *of.test); err != nil {
		return history.Deferral{}, err
	}
	d := history.Deferral{
		TestKey: of.test.TestKey, File: of.test.File, SessionID: m.store.SessionID(), At: m.host.cfg.Now().UTC(), Reason: req.Reason,
	}
	// What cannot be read cannot be seen to change: then only a pass ends it, and
	// the answer says so.
	if digest, err := fileDigest(m.store.Workspace(), d.File); err == nil {
		d.Digest = digest
	}
	return d, m.history.Defer(ctx, d)
}

// checkFailing refuses a test that does not fail by itself: there is nothing to set
// aside.
func (m *memory) checkFailing(ctx context.Context, t history.Test) error {
	name := report.Line(report.QualifiedName(t.Suite, t.TestKey.Test.Test))
	var last history.Point
	known := false
	filter := history.TimelineFilter{Language: t.Language, Tests: []record.Test{t.TestKey.Test}}
	err := m.timelines(ctx, filter, func(on history.Timeline) { last, known = classify.Latest(on.Points) })
	switch {
	case err != nil:
		return err
	case !known:
		return &UsageError{Reason: "no result of " + name + " is on record", Fix: "only a test that fails can be set aside"}
	case !last.Outcome.Bad():
		return &UsageError{
			Reason: fmt.Sprintf("%s is not failing: it passed in run %s, %s ago", name, last.RunID, report.Duration(m.host.cfg.Now().Sub(last.At))),
			Fix:    "only a test that fails can be set aside",
		}
	case last.Derived:
		return &UsageError{Reason: name + " failed only because of tests inside it", Fix: "set those aside"}
	}
	return nil
}

// lift takes a deferral off the record. Its test need not be known any more.
func (m *memory) lift(ctx context.Context, req DeferRequest) (history.Deferral, error) {
	deferred, err := m.deferrals(ctx)
	if err != nil {
		return history.Deferral{}, err
	}
	var tests []history.Test
	for key := range deferred {
		if req.Language == "" || key.Language == req.Language {
			tests = append(tests, history.Test{TestKey: key})
		}
	}
	meant := named(tests, req.Name)
	switch len(meant) {
	case 0:
		return history.Deferral{}, &UsageError{Reason: fmt.Sprintf(`no deferred test is named "%s"`, report.Line(req.Name)), Fix: "`proctor defer --list` lists those that are"}
	case 1:
		key := meant[0].TestKey
		return deferred[key], m.history.Undefer(ctx, key)
	}
	return history.Deferral{}, ambiguous("deferred tests", req.Name, meant)
}

// deferral is one as an answer has it.
func (m *memory) deferral(d history.Deferral) record.Deferral {
	return record.Deferral{
		Language: d.Language, Suite: d.Suite, Test: d.TestKey.Test.Test, File: d.File, Watched: d.Digest != "",
		SessionID: d.SessionID, At: d.At, AgeS: ageSeconds(m.host.cfg.Now(), d.At), Reason: d.Reason,
	}
}
