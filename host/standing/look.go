package standing

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// looked names a suspect and how much of it is read.
type looked struct {
	sourceFile
	test  sdk.TestID
	whole bool
}

// look selects the suspects that decide about the files, in their order, and examines
// them.
func (j *judgment) look(ctx context.Context) (map[sourceFile][]lookedAt, error) {
	if j.sameSuspects {
		return j.lookAgain(ctx)
	}
	known := j.knownLooks()
	tests, err := j.History.Suspects(ctx, history.SuspectFilter{Limit: j.extent.From})
	if err != nil {
		return nil, err
	}
	files, each, total := map[sourceFile][]lookedAt{}, map[sourceFile]int{}, 0
	// Tests that failed only elsewhere must not displace tests that failed here.
	var hidden []history.Test
	for again := true; again; {
		most, whole := j.extent.Tests-total, len(hidden) > 0
		if total < j.extent.Full {
			most, whole = j.extent.Full-total, true
		}
		again, tests, hidden = whole, slices.Concat(hidden, tests), nil
		var chosen []history.Test
		if chosen, tests = choose(tests, maps.Clone(each), j.extent.Each, most); len(chosen) == 0 {
			break
		}
		found, err := j.lookAt(ctx, chosen, whole, known)
		if err != nil {
			return nil, err
		}
		for _, t := range chosen {
			at := sourceFile{t.Language, t.File}
			l, ok := found[t.TestKey]
			if !ok {
				continue // removed meanwhile
			}
			switch l.Use {
			case failedBefore:
				hidden, again = append(hidden, t), true
			case failedElsewhere:
				again = true
			case failedHere:
				each[at]++
				total++
			}
			files[at] = append(files[at], l)
		}
	}
	return files, nil
}

// lookAgain returns what was seen of the suspects before, with what later runs lack.
func (j *judgment) lookAgain(ctx context.Context) (map[sourceFile][]lookedAt, error) {
	files := make(map[sourceFile][]lookedAt, len(j.before.Files))
	for _, f := range j.before.Files {
		tests := slices.Clone(f.Tests)
		for i := range tests {
			if err := j.setLacks(ctx, f.Language, &tests[i]); err != nil {
				return nil, err
			}
		}
		files[sourceFile{f.Language, f.File}] = tests
	}
	return files, nil
}

// knownLooks returns what was seen of suspects before. What was seen uncut counts for the
// whole timeline and for a part of it: there is no more.
func (j *judgment) knownLooks() map[looked]lookedAt {
	known := map[looked]lookedAt{}
	for _, f := range j.before.Files {
		for _, t := range f.Tests {
			at := looked{sourceFile{f.Language, f.File}, sdk.TestID{Suite: t.Suite, Test: t.Test}, t.Whole}
			known[at] = t
			if !t.Cut {
				at.whole = !at.whole
				known[at] = t
			}
		}
	}
	return known
}

// choose takes at most most tests, and at most mostEach of a file; left are the others.
func choose(tests []history.Test, each map[sourceFile]int, mostEach, most int) (chosen, left []history.Test) {
	for _, t := range tests {
		at := sourceFile{t.Language, t.File}
		switch {
		case t.File == "":
		case each[at] == mostEach || most == 0:
			left = append(left, t)
		default:
			each[at]++
			most--
			chosen = append(chosen, t)
		}
	}
	return chosen, left
}

// lookAt examines tests unless what is known of them still holds.
func (j *judgment) lookAt(ctx context.Context, tests []history.Test, whole bool, known map[looked]lookedAt) (map[history.TestKey]lookedAt, error) {
	found := make(map[history.TestKey]lookedAt, len(tests))
	unknown := map[string][]sdk.TestID{}
	for _, t := range tests {
		at := sourceFile{t.Language, t.File}
		l, ok := known[looked{at, t.TestKey.TestID, whole}]
		if !ok || j.changed[at] || j.gone > 0 && l.Oldest <= j.gone {
			unknown[t.Language] = append(unknown[t.Language], t.TestKey.TestID)
			continue
		}
		l.Whole = whole
		found[t.TestKey] = l
	}
	for _, language := range slices.Sorted(maps.Keys(unknown)) {
		err := j.readTimelines(ctx, language, unknown[language], whole, func(t history.Timeline, l lookedAt) {
			found[t.TestKey] = l
		})
		if err != nil {
			return nil, err
		}
	}
	for _, t := range tests {
		l, ok := found[t.TestKey]
		if !ok {
			continue
		}
		if err := j.setLacks(ctx, t.Language, &l); err != nil {
			return nil, err
		}
		found[t.TestKey] = l
	}
	return found, nil
}

// sameTests reports whether the same suspects would be selected in the same order: no
// run since had one, and no run is gone.
func (j *judgment) sameTests(ctx context.Context) (bool, error) {
	if len(j.before.Runs) == 0 || j.gone > 0 {
		return false, nil
	}
	if len(j.since) == 0 {
		return true, nil
	}
	had, err := j.History.Suspects(ctx, history.SuspectFilter{Of: j.since, Limit: 1})
	return err == nil && len(had) == 0, err
}

// setLacks determines whether a later run of everything lacks a test.
func (j *judgment) setLacks(ctx context.Context, language string, l *lookedAt) error {
	whole, err := j.completeOf(ctx, language)
	l.Lacks = l.Last > 0 && slices.ContainsFunc(whole, func(r classify.CompleteRun) bool {
		return l.Last < r.Order && l.Setting == r.Setting
	})
	return err
}

// completeOf returns the runs of a language that got to every test.
func (j *judgment) completeOf(ctx context.Context, language string) (CompleteSet, error) {
	whole, ok := j.complete[language]
	if ok {
		return whole, nil
	}
	whole, err := CompleteRuns(ctx, j.Ledger, language, 0)
	if err != nil {
		return nil, err
	}
	j.complete[language] = whole
	if before := j.before.Bases[language].Complete; len(before) > 0 {
		j.unsure[language] = slices.ContainsFunc(whole, func(r classify.CompleteRun) bool {
			return r.Order < slices.Max(before) && !slices.Contains(before, r.Order)
		})
	}
	return whole, nil
}

// readTimelines reads the timelines of tests, and passes on what is known about each.
func (j *judgment) readTimelines(ctx context.Context, language string, tests []sdk.TestID, whole bool, found func(history.Timeline, lookedAt)) error {
	filter := history.TimelineFilter{Language: language, Tests: tests, Points: j.extent.Points, Ends: whole}
	return Timelines(ctx, j.Ledger, filter, func(t history.Timeline) {
		own, foreign := splitForeign(t.Points)
		l := lookedAt{Suite: t.Suite, Test: t.TestKey.Test, Whole: whole, Cut: t.Cut, Oldest: oldestOf(t.Points)}
		l.Last, l.Setting = lastOf(own)
		switch {
		case t.Cut && !whole && len(foreign) > 0:
			l.Use, l.Oldest = failedBefore, 0 // behind results made elsewhere
		case len(own) == 0 || anyBad(foreign) && !anyBad(own):
			l.Use = failedElsewhere
		}
		t.Points = own
		j.read[looked{sourceFile{language, t.File}, t.TestKey.TestID, whole}] = t
		found(t, l)
	})
}

func oldestOf(points []history.Point) int64 {
	if len(points) == 0 {
		return 0
	}
	return slices.MinFunc(points, func(a, b history.Point) int { return cmp.Compare(a.Order, b.Order) }).Order
}

// lastOf returns the run that last saw a test, or 0, and its setting.
func lastOf(own []history.Point) (order int64, setting string) {
	for _, p := range slices.Backward(own) {
		if p.RunKind != api.KindTriage {
			return p.Order, p.Setting()
		}
	}
	return 0, ""
}

func anyBad(points []history.Point) bool {
	return slices.ContainsFunc(points, func(p history.Point) bool { return p.Outcome.Bad() })
}
