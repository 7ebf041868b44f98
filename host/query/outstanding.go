package query

import (
	"context"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Outstanding lists what is outstanding, longest first, after removing the tests that the
// request drops. It starts no plugin.
func Outstanding(ctx context.Context, k *ledger.Keeper, req api.OutstandingRequest) (api.Outstanding, error) {
	answer := api.Outstanding{Schema: api.OutstandingSchema, Tests: []api.OutstandingTest{}}
	led, err := ledger.OpenSetsAt(ctx, k, req.Where)
	if err != nil {
		return answer, err
	}
	languages, err := led.Languages(ctx)
	if err != nil {
		return answer, err
	}
	if len(languages) == 0 {
		return answer, &api.NoRunError{} // as where the records came along with moved sources
	}
	if req.Language != "" {
		languages = []string{req.Language}
	}
	dropped, err := findMeant(ctx, led, languages, req.Drop)
	if err != nil {
		return answer, err
	}
	drop := &dropping{names: dropped, found: map[string]bool{}}
	limit := api.Clamp(req.Limit, api.DefaultOutstandingLimit, api.MaxOutstandingLimit)
	for _, language := range languages {
		set, err := led.Outstanding(ctx, language)
		if err == nil && drop.hasMeant(set) {
			set, err = led.UpdateOutstanding(ctx, language, func(current outstanding.Set) outstanding.Set {
				var gone []outstanding.Entry
				current, gone = drop.dropFrom(current)
				for _, e := range gone {
					answer.Dropped = append(answer.Dropped, describeOutstanding(ctx, led, language, e))
				}
				return current
			})
		}
		if err != nil {
			return answer, err
		}
		counts := set.Counts()
		answer.Counts.Add(counts)
		answer.Total = answer.Counts.Total()
		addGone(led, &answer, language)
		if set.Len() == 0 {
			addNoPass(led, &answer, language)
		}
		isKnown := standing.Quarantined(ctx, led, language, set)
		if slices.ContainsFunc(set.Entries, isKnown) {
			others := set.Only(func(e outstanding.Entry) bool { return !isKnown(e) })
			answer.Quarantined += counts.Total() - others.Counts().Total()
		}
		listed := set.Entries[:min(set.Len(), limit-len(answer.Tests))]
		answer.Unlisted += set.Len() - len(listed)
		for _, e := range listed {
			test := describeOutstanding(ctx, led, language, e)
			test.Quarantined = isKnown(e)
			answer.Tests = append(answer.Tests, test)
		}
	}
	return answer, drop.noneMeantError()
}

// addGone names what the session's last run removed from the set because it is gone.
func addGone(led *ledger.Ledger, answer *api.Outstanding, language string) {
	slot, ok, err := led.Artifacts.Slot(language)
	if err != nil || !ok || slot.RunID == "" {
		return
	}
	last, err := led.Artifacts.Run(slot.RunID)
	if err != nil || last.Integrity == nil || last.Integrity.GoneTotal == 0 {
		return
	}
	answer.Gone, answer.GoneTotal, answer.GoneRun = last.Integrity.Gone, last.Integrity.GoneTotal, last.RunID
}

// addNoPass notes that the session's last run is not a pass although nothing is outstanding:
// an interrupted run proves nothing about what it did not get to.
func addNoPass(led *ledger.Ledger, answer *api.Outstanding, language string) {
	slot, ok, err := led.Artifacts.Slot(language)
	if err != nil || !ok || slot.RunID == "" {
		return
	}
	last, err := led.Artifacts.Run(slot.RunID)
	if err == nil && last.State == api.StateFinished && last.Verdict != api.Passed {
		answer.NoPass = append(answer.NoPass, api.Notes(api.NoteOutstanding, api.NoPass(last, language))...)
	}
}

func describeOutstanding(ctx context.Context, led *ledger.Ledger, language string, e outstanding.Entry) api.OutstandingTest {
	t := api.OutstandingTest{
		Language: language, Suite: e.Suite, Test: e.Test, Was: e.Was, Reason: string(e.Reason), Why: string(e.Why), RunID: e.RunID, LastRunID: e.LastRunID,
	}
	args, env, _ := strings.Cut(e.Args, outstanding.EnvMark)
	t.RunnerArgs, t.Environment = project.SplitKey(args), project.SplitKey(strings.TrimPrefix(env, "\x00"))
	t.Way = e.Way.Words()
	for _, variable := range t.Environment {
		if name, value, _ := strings.Cut(variable, "="); workspace.Getenv(led.Keeper.Cfg.Env, name) != value {
			t.Otherwise = append(t.Otherwise, variable)
		}
	}
	if e.RunID == "" {
		return t
	}
	if run, err := led.History.Run(ctx, e.RunID); err == nil && run.ID == e.RunID {
		t.SessionID, t.At, t.AgeS = run.SessionID, run.StartedAt, max(led.Keeper.Cfg.Now().Sub(run.StartedAt), 0).Seconds()
	}
	return t
}

// dropping removes named entries from the set.
type dropping struct {
	names []string
	found map[string]bool
}

// isMeant reports whether an entry is named.
func (d *dropping) isMeant(e outstanding.Entry) bool {
	name := prose.QualifiedName(e.Suite, e.Test)
	named := false
	for _, n := range d.names {
		if n == name || n == e.Suite+" "+e.Test {
			d.found[n], named = true, true
		}
	}
	return named
}

func (d *dropping) hasMeant(set outstanding.Set) bool {
	return len(d.names) > 0 && slices.ContainsFunc(set.Entries, d.isMeant)
}

func (d *dropping) dropFrom(set outstanding.Set) (left outstanding.Set, gone []outstanding.Entry) {
	left = outstanding.Set{Known: set.Known}
	for _, e := range set.Entries {
		if d.isMeant(e) {
			gone = append(gone, e)
		} else {
			left.Entries = append(left.Entries, e)
		}
	}
	return left, gone
}

// noneMeantError reports names that are not on the list.
func (d *dropping) noneMeantError() error {
	for _, n := range d.names {
		if !d.found[n] {
			return &api.UsageError{Reason: "not outstanding: " + n, Advice: api.Advice{Operation: api.AdviseOutstanding}}
		}
	}
	return nil
}

// findMeant returns the names to drop as [dropping] knows them. A shorter name stands for the
// one test that it fits.
func findMeant(ctx context.Context, led *ledger.Ledger, languages, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var entries []outstanding.Entry
	var tests []sdk.TestID
	for _, language := range languages {
		set, err := led.Outstanding(ctx, language)
		if err != nil {
			return nil, err
		}
		entries = append(entries, set.Entries...)
		for _, e := range set.Distinct() {
			tests = append(tests, e.TestID)
		}
	}
	meant := make([]string, len(names))
	for i, name := range names {
		meant[i] = name
		exact := &dropping{names: []string{name}, found: map[string]bool{}}
		if exact.hasMeant(outstanding.Set{Entries: entries}) {
			continue
		}
		suites := ledger.SuiteNames(ctx, led)
		switch at := api.MatchTests(tests, name, suites); len(at) {
		case 0:
			if near := api.SuggestNames(api.Nearest(tests, name, suites.Call)); near != "" {
				return nil, &api.UsageError{Reason: "not outstanding: " + prose.Line(name), Fix: near}
			}
		case 1:
			if of, err := findTests(ctx, led, "", name); err == nil && of.test != nil && !slices.Contains(tests, of.test.TestKey.TestID) {
				continue // it is shown for a test that has passed since, and means no other one
			}
			meant[i] = prose.QualifiedName(tests[at[0]].Suite, tests[at[0]].Test)
		default:
			var all []string
			for _, at := range at {
				all = append(all, suites.Call(tests[at]))
			}
			return nil, severalError("outstanding tests", name, all)
		}
	}
	return meant, nil
}
