package host

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/record"
)

// FailuresPage is a part of a run's failures.
type FailuresPage struct {
	// Run carries the failures of the page; FailuresTotal counts all of them.
	Run record.Run
	// Age is how long ago the run ended.
	Age time.Duration
	// Recorded is how many failures are on record: less than there were where the
	// record was cut.
	Recorded int
	// Notes say what the answer cannot rely on: a record that is gone or cannot be
	// read. They are among the run's warnings, too.
	Notes []string
}

// FailureRank orders kinds of failures: 0 keeps tests from running at all, 1 ends
// others that ran, or what they say cannot be believed; 2 is about one test alone.
func FailureRank(kind string) int {
	switch kind {
	case "build", "vet", "setup":
		return 0
	case "panic", "fatal", "exit", "signal", "timeout", "race":
		return 1
	}
	return 2
}

// FailuresFrom returns a run with its failures from offset on, counted from 0, at
// most limit of them: those first that hide others, and else in the order in which
// [Host.Failures] has them. It reaches every failure on record, and starts no plugin.
func (h *Host) FailuresFrom(ctx context.Context, req LastRun, offset, limit int) (FailuresPage, error) {
	run, m, err := h.lookup(ctx, req)
	if err != nil {
		return FailuresPage{}, err
	}
	offset, limit = max(offset, 0), ClampFailuresLimit(limit)
	page := FailuresPage{Recorded: len(run.Failures)}
	places, err := m.failurePlaces(ctx, run.RunID)
	if err != nil {
		return page, err
	}
	if len(places) < len(run.Failures) {
		// The object has the first ones itself: a record that was cut must not hide them.
		run.Failures = slices.Clone(run.Failures)
		slices.SortStableFunc(run.Failures, func(a, b record.Failure) int { return cmp.Compare(FailureRank(a.Kind), FailureRank(b.Kind)) })
		run.Failures = run.Failures[min(offset, len(run.Failures)):]
		run.Failures = run.Failures[:min(limit, len(run.Failures))]
	} else {
		page.Recorded = len(places)
		places = places[min(offset, len(places)):]
		if run.Failures, err = m.failuresAt(ctx, run.RunID, places[:min(limit, len(places))]); err != nil {
			return page, err
		}
	}
	sign(&run, totalsOf(run.Causes))
	m.reread(ctx, &run)
	page.Run, page.Age, page.Notes = run, h.age(run), m.notes(run.RunID)
	return page, ctx.Err()
}

// failurePlaces are the places of all failures of a run in its record, in the order
// in which a reader sees them. The failures themselves may not fit into memory.
func (m *memory) failurePlaces(ctx context.Context, runID string) ([]int, error) {
	var suites []string
	var ranks []int
	names := map[string]string{}
	err := m.store.Failures(runID, func(f record.Failure) bool {
		name, ok := names[f.Suite]
		if !ok {
			name = strings.Clone(f.Suite)
			names[name] = name
		}
		suites, ranks = append(suites, name), append(ranks, FailureRank(f.Kind))
		return ctx.Err() == nil
	})
	if err != nil {
		return nil, err
	}
	places := make([]int, len(suites))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), strings.Compare(suites[a], suites[b]))
	})
	return places, ctx.Err()
}

// failuresAt reads the failures at some places of a record, in the order of these.
func (m *memory) failuresAt(ctx context.Context, runID string, places []int) ([]record.Failure, error) {
	wanted := make(map[int]bool, len(places))
	for _, place := range places {
		wanted[place] = true
	}
	found := make(map[int]record.Failure, len(places))
	place := 0
	err := m.store.Failures(runID, func(f record.Failure) bool {
		if wanted[place] {
			found[place] = f
		}
		place++
		return len(found) < len(wanted) && ctx.Err() == nil
	})
	if err != nil {
		return nil, err
	}
	failures := make([]record.Failure, 0, len(found))
	for _, place := range places {
		if f, ok := found[place]; ok {
			failures = append(failures, f)
		}
	}
	return failures, ctx.Err()
}

// FailedTest finds a test by the id of one of its failures. It starts no plugin.
func (h *Host) FailedTest(ctx context.Context, req LastRun, id string) (test record.Test, ok bool, err error) {
	requests, err := h.EachLanguage(ctx, req)
	if err != nil {
		return test, false, err
	}
	for _, each := range requests {
		run, m, err := h.lookup(ctx, each)
		var none *NoRunError
		if errors.As(err, &none) && len(requests) > 1 {
			continue // of another language there is one
		}
		if err != nil {
			return test, false, err
		}
		err = m.store.Failures(run.RunID, func(f record.Failure) bool {
			if f.ID == id {
				test, ok = record.Test{Suite: f.Suite, Test: f.Test}, true
			}
			return !ok && ctx.Err() == nil
		})
		if err != nil || ok {
			return test, ok, err
		}
	}
	return test, false, ctx.Err()
}
