package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// AddToQuarantine puts a test in quarantine, with its last failure on record as the known
// one.
func AddToQuarantine(ctx context.Context, k *ledger.Keeper, req api.QuarantineRequest) (api.Quarantine, error) {
	now := k.Cfg.Now()
	e := quarantine.Entry{Reason: strings.TrimSpace(req.Reason), Link: strings.TrimSpace(req.Link), Expires: quarantine.ParseDay(req.Expires)}
	switch {
	case e.Reason == "":
		return api.Quarantine{}, &api.UsageError{Reason: "a reason is missing", Fix: "say why this failure should not decide the verdict"}
	case req.Expires != "" && e.Expires == "":
		return api.Quarantine{}, &api.UsageError{Reason: fmt.Sprintf("%q is not a date", prose.Line(req.Expires)), Fix: "give one like 2026-12-31"}
	case e.IsExpired(now):
		return api.Quarantine{}, &api.UsageError{Reason: e.Expires + " is in the past", Fix: "give a date in the future"}
	}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return api.Quarantine{}, &api.UsageError{Reason: fmt.Sprintf("no test %q is on record", prose.Line(req.Name)), Fix: nothingOnRecord}
	}
	if err != nil {
		return api.Quarantine{}, err
	}
	of, err := findTests(ctx, led, req.Language, req.Name)
	if err != nil {
		return api.Quarantine{}, err
	}
	if of.test == nil || of.test.TestKey.Test == "" {
		return api.Quarantine{}, &api.UsageError{Reason: fmt.Sprintf("%q is not a test", prose.Line(req.Name)), Fix: "name one test; only one at a time can be put in quarantine"}
	}
	e.Language, e.TestID = of.test.Language, of.test.TestKey.TestID
	if e.Signatures, err = findKnownFailure(ctx, led, *of.test); err != nil {
		return api.Quarantine{}, err
	}
	release, err := holdQuarantine(ctx, led.Artifacts.Workspace())
	if err != nil {
		return api.Quarantine{}, err
	}
	defer release()
	f, err := quarantine.Load(led.Artifacts.Workspace())
	if err != nil {
		return api.Quarantine{}, err
	}
	if err := f.Add(e); err != nil {
		return api.Quarantine{}, &api.UsageError{Reason: "this is not a valid entry: " + err.Error()}
	}
	if err := f.Write(); err != nil {
		return api.Quarantine{}, err
	}
	answer := api.Quarantine{Schema: api.QuarantineSchema, File: f.Path}
	answer.Entries, err = describeEntries(ctx, led, k, []quarantine.Entry{e})
	return answer, err
}

// holdQuarantine keeps others from changing the file of a workspace: an entry that one removes
// must not come back with what another has read before.
func holdQuarantine(ctx context.Context, root string) (release func(), err error) {
	return lock.Hold(ctx, filepath.Join(root, quarantine.FileName))
}

// findKnownFailure returns the signatures of the last failure of a test.
func findKnownFailure(ctx context.Context, led *ledger.Ledger, t history.Test) ([]string, error) {
	suites := ledger.SuiteNames(ctx, led)
	name := prose.Line(suites.Call(t.TestKey.TestID))
	points, err := readPoints(ctx, led, t.Language, t.TestKey.TestID)
	if err != nil {
		return nil, err
	}
	at := -1
	for i, p := range points {
		if p.Outcome == history.Failed {
			at = i
		}
	}
	switch {
	case at < 0:
		return nil, &api.UsageError{Reason: "no failure of " + name + " is on record", Fix: "only a known failure can be put in quarantine: run the test first"}
	case points[at].Derived:
		return nil, &api.UsageError{Reason: name + " failed only because of its subtests", Fix: "put those in quarantine"}
	}
	var signatures []string
	inexcusable, whole := "", true
	err = led.Artifacts.Failures(points[at].RunID, func(f api.Failure) bool {
		if f.Suite == t.Suite && f.Test == t.TestKey.Test {
			if !quarantine.IsExcusable(f.Kind) {
				inexcusable = f.Kind
			}
			whole = whole && quarantine.IsWhole(f)
			signatures = append(signatures, quarantine.SignatureOf(f))
		}
		return ctx.Err() == nil
	})
	slices.Sort(signatures)
	signatures = slices.Compact(signatures)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || len(signatures) == 0:
		return nil, &api.UsageError{Reason: fmt.Sprintf("the failure of %s in run %s is no longer on record", name, points[at].RunID), Fix: "run the test again"}
	case inexcusable != "":
		return nil, &api.UsageError{
			Reason: fmt.Sprintf("%s failed with %s in run %s, which concerns more than this test", name, prose.Line(inexcusable), points[at].RunID),
			Fix:    "only a failure of one test alone can be put in quarantine; skip the test in its source instead",
		}
	case !whole:
		return nil, &api.UsageError{
			Reason: fmt.Sprintf("%s gave no message in run %s, or more than is on record, so another failure would look the same", name, points[at].RunID),
			Fix:    "have it say why it fails, or skip it in its source; a run that repeats tests records only the first failure",
		}
	}
	return signatures, nil
}

// readPoints returns the results of a test, oldest first, without those of a triage, which
// runs on other sources.
func readPoints(ctx context.Context, led *ledger.Ledger, language string, test sdk.TestID) (points []history.Point, err error) {
	err = standing.Timelines(ctx, led, history.TimelineFilter{Language: language, Tests: []sdk.TestID{test}, Points: maxWhyPoints}, func(t history.Timeline) {
		points = t.Points
	})
	return slices.DeleteFunc(points, func(p history.Point) bool { return p.RunKind == api.KindTriage }), err
}

// ListQuarantine lists the tests in quarantine, and says how each ended last.
func ListQuarantine(ctx context.Context, k *ledger.Keeper, req api.QuarantineRequest) (api.Quarantine, error) {
	f, m, err := openQuarantine(ctx, k, req)
	if err != nil {
		return api.Quarantine{}, err
	}
	answer := api.Quarantine{Schema: api.QuarantineSchema, File: f.Path}
	entries := slices.DeleteFunc(f.Entries, func(e quarantine.Entry) bool { return req.Language != "" && e.Language != req.Language })
	answer.Entries, err = describeEntries(ctx, m, k, entries)
	return answer, err
}

// RemoveFromQuarantine removes the entry of a test.
func RemoveFromQuarantine(ctx context.Context, k *ledger.Keeper, req api.QuarantineRequest) (api.Quarantine, error) {
	root, err := k.Root(ctx, req.Where)
	if err != nil {
		return api.Quarantine{}, err
	}
	release, err := holdQuarantine(ctx, root)
	if err != nil {
		return api.Quarantine{}, err
	}
	defer release()
	f, m, err := openQuarantine(ctx, k, req)
	if err != nil {
		return api.Quarantine{}, err
	}
	var tests []history.Test
	for _, e := range f.Entries {
		if req.Language == "" || e.Language == req.Language {
			tests = append(tests, history.Test{TestKey: history.TestKey{Language: e.Language, TestID: e.TestID}})
		}
	}
	suites := ledger.SuiteNames(ctx, m)
	meant := findNamed(tests, req.Name, suites)
	switch {
	case len(meant) == 0:
		return api.Quarantine{}, &api.UsageError{Reason: fmt.Sprintf("no test in quarantine is named %q", prose.Line(req.Name)), Fix: "the list has their names"}
	case len(meant) > 1:
		return api.Quarantine{}, ambiguousError("tests in quarantine", req.Name, meant, suites)
	}
	answer := api.Quarantine{Schema: api.QuarantineSchema, File: f.Path}
	gone := quarantine.Entry{Language: meant[0].Language, TestID: meant[0].TestKey.TestID}
	for _, e := range f.Entries {
		if e.Language == gone.Language && e.TestID == gone.TestID {
			gone = e
		}
	}
	if answer.Removed, err = describeEntries(ctx, m, k, []quarantine.Entry{gone}); err != nil {
		return api.Quarantine{}, err
	}
	f.Remove(gone)
	answer.Entries = []api.QuarantineEntry{}
	return answer, f.Write()
}

// openQuarantine reads the file of a workspace, and opens its record; nil if there is
// none.
func openQuarantine(ctx context.Context, k *ledger.Keeper, req api.QuarantineRequest) (*quarantine.File, *ledger.Ledger, error) {
	root, err := k.Root(ctx, req.Where)
	if err != nil {
		return nil, nil, err
	}
	f, err := quarantine.Load(root)
	if err != nil {
		return nil, nil, err
	}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return f, nil, nil
	}
	return f, led, err
}

// describeEntries converts entries for an answer.
func describeEntries(ctx context.Context, led *ledger.Ledger, k *ledger.Keeper, entries []quarantine.Entry) ([]api.QuarantineEntry, error) {
	all := []api.QuarantineEntry{}
	for _, e := range entries {
		d := api.QuarantineEntry{
			Language: e.Language, TestID: e.TestID, Reason: e.Reason, Link: e.Link, Expires: e.Expires, Expired: e.IsExpired(k.Cfg.Now()),
			Signatures: e.Signatures, Status: api.QuarantineUnknown,
		}
		if led != nil {
			points, err := readPoints(ctx, led, e.Language, e.TestID)
			if err != nil {
				return nil, err
			}
			if last, ok := classify.Latest(points); ok {
				d.RunID, d.AgeS, d.Status = last.RunID, standing.AgeSeconds(k.Cfg.Now(), last.At), statusOf(e, last)
			}
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b api.QuarantineEntry) int {
		return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	return all, nil
}

// statusOf says how the test of an entry ended last. The history only has the cause of a
// failure, the first part of a signature.
func statusOf(e quarantine.Entry, last history.Point) api.QuarantineStatus {
	isKnown := func(signature string) bool {
		cause, _, _ := strings.Cut(signature, "+")
		return cause == last.Signature
	}
	switch {
	case !last.Outcome.Bad():
		return api.QuarantinePassed
	case last.Outcome == history.Failed && slices.ContainsFunc(e.Signatures, isKnown):
		return api.QuarantineKnown
	}
	return api.QuarantineOther
}
