package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// maxReason bounds a user's reason: a sentence or two.
const maxReason = 500

// Defer defers a failing test, or lifts a deferral. It starts no plugin and changes no
// verdict.
func Defer(ctx context.Context, k *ledger.Keeper, req api.DeferRequest) (api.Deferrals, error) {
	answer := api.Deferrals{Schema: api.DeferralsSchema, Deferred: []api.Deferral{}}
	req.Reason = strings.TrimSpace(req.Reason)
	switch {
	case len(req.Reason) > maxReason:
		return answer, &api.UsageError{Reason: fmt.Sprintf("the reason is longer than %d bytes", maxReason), Fix: "shorten it"}
	case req.Lift && req.Reason != "":
		return answer, &api.UsageError{Reason: "lifting a deferral takes no reason"}
	}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return answer, &api.UsageError{Reason: fmt.Sprintf(`no test "%s" is on record`, prose.Line(req.Name)), Fix: nothingOnRecord}
	}
	if err != nil {
		return answer, err
	}
	if req.Lift {
		lifted, err := liftDeferral(ctx, led, req)
		if err == nil {
			answer.Lifted = []api.Deferral{describeDeferral(led, lifted)}
		}
		return answer, err
	}
	d, err := deferTest(ctx, led, req)
	if err == nil {
		answer.Deferred = append(answer.Deferred, describeDeferral(led, d))
	}
	return answer, err
}

// Deferred lists deferred tests, latest last. Without a record there are none.
func Deferred(ctx context.Context, k *ledger.Keeper, req api.DeferRequest) (api.Deferrals, error) {
	answer := api.Deferrals{Schema: api.DeferralsSchema, Deferred: []api.Deferral{}}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return answer, nil
	}
	if err != nil {
		return answer, err
	}
	deferred, err := standing.Deferrals(ctx, led)
	for _, d := range deferred {
		if req.Language == "" || d.Language == req.Language {
			answer.Deferred = append(answer.Deferred, describeDeferral(led, d))
		}
	}
	slices.SortFunc(answer.Deferred, func(a, b api.Deferral) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Language, b.Language))
	})
	return answer, err
}

// deferTest records a deferral.
func deferTest(ctx context.Context, led *ledger.Ledger, req api.DeferRequest) (history.Deferral, error) {
	of, err := findTests(ctx, led, req.Language, req.Name)
	if err != nil {
		return history.Deferral{}, err
	}
	if of.test == nil {
		return history.Deferral{}, &api.UsageError{Reason: fmt.Sprintf(`"%s" is not a test`, prose.Line(req.Name)), Fix: "name one test; only one at a time can be set aside"}
	}
	if err := checkFailing(ctx, led, *of.test); err != nil {
		return history.Deferral{}, err
	}
	d := history.Deferral{
		TestKey: of.test.TestKey, File: of.test.File, SessionID: led.Artifacts.SessionID(), At: led.Keeper.Cfg.Now().UTC(), Reason: req.Reason,
	}
	// A change to an unreadable file would go unnoticed, so only a pass ends the deferral,
	// and the answer says so.
	if digest, err := standing.FileDigest(led.Artifacts.Workspace(), d.File); err == nil {
		d.Digest = digest
	}
	return d, led.History.Defer(ctx, d)
}

// checkFailing refuses a test that does not fail itself: there is nothing to defer.
func checkFailing(ctx context.Context, led *ledger.Ledger, t history.Test) error {
	suites := ledger.SuiteNames(ctx, led)
	name := prose.Line(suites.Call(t.TestKey.TestID))
	var last history.Point
	known := false
	filter := history.TimelineFilter{Language: t.Language, Tests: []sdk.TestID{t.TestKey.TestID}}
	err := standing.Timelines(ctx, led, filter, func(on history.Timeline) { last, known = classify.Latest(on.Points) })
	switch {
	case err != nil:
		return err
	case !known:
		return &api.UsageError{Reason: "no result of " + name + " is on record", Fix: "only a test that fails can be set aside"}
	case !last.Outcome.Bad():
		return &api.UsageError{
			Reason: fmt.Sprintf("%s is not failing: it passed in run %s, %s ago", name, last.RunID, prose.Duration(led.Keeper.Cfg.Now().Sub(last.At))),
			Fix:    "only a test that fails can be set aside",
		}
	case last.Derived:
		return &api.UsageError{Reason: name + " failed only because of its subtests", Fix: "set those aside"}
	}
	return nil
}

// liftDeferral removes a deferral, even if its test is no longer known.
func liftDeferral(ctx context.Context, led *ledger.Ledger, req api.DeferRequest) (history.Deferral, error) {
	deferred, err := standing.Deferrals(ctx, led)
	if err != nil {
		return history.Deferral{}, err
	}
	var tests []history.Test
	for key := range deferred {
		if req.Language == "" || key.Language == req.Language {
			tests = append(tests, history.Test{TestKey: key})
		}
	}
	suites := ledger.SuiteNames(ctx, led)
	meant := findNamed(tests, req.Name, suites)
	switch len(meant) {
	case 0:
		return history.Deferral{}, &api.UsageError{Reason: fmt.Sprintf(`no deferred test is named "%s"`, prose.Line(req.Name)), Advice: api.Advice{Operation: api.AdviseDeferred}}
	case 1:
		key := meant[0].TestKey
		return deferred[key], led.History.Undefer(ctx, key)
	}
	return history.Deferral{}, ambiguousError("deferred tests", req.Name, meant, suites)
}

// describeDeferral converts a deferral for an answer.
func describeDeferral(led *ledger.Ledger, d history.Deferral) api.Deferral {
	return api.Deferral{
		Language: d.Language, Suite: d.Suite, Test: d.TestKey.Test, File: d.File, Watched: d.Digest != "",
		SessionID: d.SessionID, At: d.At, AgeS: standing.AgeSeconds(led.Keeper.Cfg.Now(), d.At), Reason: d.Reason,
	}
}
