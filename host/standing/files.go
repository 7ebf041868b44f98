package standing

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// runsFollowed is how many runs may end before all files are judged again instead of
// one by one. An import adds more.
const runsFollowed = 8

// UsualExtent returns how much is examined by default. It suffices unless more tests
// fail, in which case the project has other problems.
func UsualExtent() ledger.Extent {
	return ledger.Extent{Tests: 300, Each: 10, From: 2000, Points: 50, Full: 25}
}

// judgment determines how the files with tests that ever failed stand now. It reuses the
// stored judgment of a file if nothing can have changed since: there are no new results
// of its tests, everything read about them is still on record, the tests are the same,
// none by which another session knew it has left, no other run of everything lacks one of
// them, and no deferral began or ended. So the cost of ending a run does not grow with the
// history.
type judgment struct {
	*ledger.Ledger
	extent ledger.Extent
	// before is the stored judgment; empty if it is useless.
	before KeptSpots
	// same reports whether nothing has happened since; holds, whether what has leaves all
	// files as they stood, so that they are not even read after a run.
	same, holds bool
	// sameSuspects reports whether the same suspects would be selected in the same order.
	sameSuspects bool
	finished     []int64
	deferred     map[history.TestKey]history.Deferral
	// changed are the files whose tests had results since, and their languages.
	changed   map[sourceFile]bool
	languages []string
	// since are the runs that ended since. gone is the newest run no longer on record,
	// or 0.
	since []int64
	gone  int64
	// complete are the runs that got to every test, by language; unsure are the languages
	// in which an older run is now among them that was not before.
	complete map[string]CompleteSet
	unsure   map[string]bool
	// read are the timelines read, of our own runs only.
	read map[looked]history.Timeline
	// files are the files now; suspects are the timelines of existing tests of the
	// files judged again.
	files    []judgedFile
	suspects map[sourceFile][]history.Timeline
	// older reports whether the judgment of a file depends on runs that may be gone from
	// the record; known are the tests by which another session knew the file.
	older bool
	known []sdk.TestID
	// others remembers the answers of newestOther.
	others map[otherSince]int64
}

// judgeFiles judges files. If a run just ended, run is its order, and ran are its files.
func judgeFiles(ctx context.Context, led *ledger.Ledger, run int64, ran []sourceFile) (*judgment, error) {
	j := &judgment{
		Ledger: led, extent: cmp.Or(led.Extent, UsualExtent()), changed: map[sourceFile]bool{}, complete: map[string]CompleteSet{}, unsure: map[string]bool{},
		read: map[looked]history.Timeline{}, suspects: map[sourceFile][]history.Timeline{},
	}
	var err error
	// This comes first, so that the next judgment does not miss a run that ends from
	// now on.
	if j.finished, err = led.History.Finished(ctx); err != nil {
		return nil, err
	}
	if j.deferred, err = Deferrals(ctx, led); err != nil {
		return nil, err
	}
	for _, at := range ran {
		j.changed[at] = true
	}
	if err := j.takeUp(ctx, run); err != nil || j.same {
		return j, err
	}
	if j.holds, err = j.stillHolds(ctx); err != nil || j.holds {
		j.files = j.before.Files
		return j, err
	}
	if run > 0 {
		j.readFiles(ctx)
	}
	now, err := j.look(ctx)
	if err == nil {
		j.files, err = j.stand(ctx, now)
	}
	return j, err
}

// takeUp finds out what has happened since the stored judgment, besides the run that
// just ended, if any.
func (j *judgment) takeUp(ctx context.Context, run int64) error {
	var kept KeptSpots
	var ok bool
	if kept.keptHead, ok = readKeptHead(ctx, j.Ledger); ok && run == 0 {
		kept.keptFiles, ok = readKeptFiles(ctx, j.Ledger, kept.Rest)
	}
	if !ok {
		return nil
	}
	since, gone := kept.Runs.until(j.finished)
	since = slices.DeleteFunc(since, func(order int64) bool { return order == run })
	if j.since = slices.Clone(since); run > 0 {
		j.since = append(j.since, run)
	}
	if kept.Deferred != setName(j.deferred) || len(since) > runsFollowed {
		return nil
	}
	j.before = kept
	if len(gone) > 0 {
		j.gone = gone[len(gone)-1]
	}
	j.same = run == 0 && len(since) == 0 && len(gone) == 0
	if len(since) == 0 {
		return nil
	}
	files, err := j.History.FilesOf(ctx, since)
	for _, f := range files {
		j.changed[sourceFile{f.Language, f.File}] = true
		if !slices.Contains(j.languages, f.Language) {
			j.languages = append(j.languages, f.Language)
		}
	}
	return err
}

// stillHolds reports whether all files stand as they did according to what is stored
// about them: no suspect had a result since, nor another test of one of the files, and the
// same tests are declared in them and lacking.
func (j *judgment) stillHolds(ctx context.Context) (bool, error) {
	var err error
	if j.sameSuspects, err = j.sameTests(ctx); !j.sameSuspects || err != nil {
		return false, err
	}
	for at := range j.changed {
		if slices.Contains(j.before.Bases[at.language].Files, at.file) || slices.Contains(j.before.Names, path.Base(at.file)) {
			return false, nil
		}
	}
	for language, b := range j.before.Bases {
		whole, err := j.completeOf(ctx, language)
		if err != nil || j.unsure[language] || !b.agrees(whole) {
			return false, err
		}
	}
	left, err := j.findLeft(ctx)
	return len(left) == 0, err
}

// readFiles reads what a run that leaves all files as they stood need not. If it cannot be
// read, everything is judged again.
func (j *judgment) readFiles(ctx context.Context) {
	files, ok := readKeptFiles(ctx, j.Ledger, j.before.Rest)
	if j.before.keptFiles = files; !ok {
		j.before, j.since, j.gone, j.sameSuspects = KeptSpots{}, nil, 0, false
	}
}

// stand determines how each file stands according to its tests.
func (j *judgment) stand(ctx context.Context, now map[sourceFile][]lookedAt) ([]judgedFile, error) {
	before := map[sourceFile]judgedFile{}
	for _, f := range j.before.Files {
		before[sourceFile{f.Language, f.File}] = f
	}
	left, err := j.findLeft(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]judgedFile, 0, len(now))
	for at, tests := range now {
		f := judgedFile{Language: at.language, File: at.file, Tests: tests}
		if was, ok := before[at]; ok && !left[at] && j.stands(at, was, tests) {
			f.Spot, f.Order, f.Older, f.Known, f.Ended = was.Spot, was.Order, was.Older, was.Known, was.Ended
		} else if err := j.judgeAgain(ctx, at, &f); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b judgedFile) int {
		return cmp.Or(cmp.Compare(b.Order, a.Order), cmp.Compare(a.File, b.File), cmp.Compare(a.Language, b.Language))
	})
	return all, nil
}

// findLeft returns the files that no longer declare a test by which another session knew
// them. The run that found the test elsewhere may have no results of the file that it left.
func (j *judgment) findLeft(ctx context.Context) (map[sourceFile]bool, error) {
	if len(j.since) == 0 {
		return nil, nil
	}
	left := map[sourceFile]bool{}
	for language, b := range j.before.Bases {
		if len(b.Known) == 0 {
			continue
		}
		tests := make([]sdk.TestID, 0, len(b.Known))
		for _, t := range b.Known {
			tests = append(tests, sdk.TestID{Suite: t.Suite, Test: t.Test})
		}
		declared := map[sdk.TestID]string{}
		filter := history.TimelineFilter{Language: language, Tests: tests, Points: 1}
		err := Timelines(ctx, j.Ledger, filter, func(t history.Timeline) { declared[t.TestKey.TestID] = t.File })
		if err != nil {
			return nil, err
		}
		for i, t := range b.Known {
			if declared[tests[i]] != t.File {
				left[sourceFile{language, t.File}] = true
			}
		}
	}
	return left, nil
}

// stands reports whether a file's standing is unchanged.
func (j *judgment) stands(at sourceFile, was judgedFile, tests []lookedAt) bool {
	if j.changed[at] || j.unsure[at.language] || was.Older && j.gone > 0 || !slices.Equal(was.Tests, tests) {
		return false
	}
	for _, order := range was.Ended {
		if !slices.ContainsFunc(j.complete[at.language], func(r classify.CompleteRun) bool { return r.Order == order }) {
			return false
		}
	}
	return !slices.ContainsFunc(tests, func(t lookedAt) bool {
		_, read := j.read[looked{at, sdk.TestID{Suite: t.Suite, Test: t.Test}, t.Whole}]
		return read
	})
}

// judgeAgain judges a file by the timelines of its tests.
func (j *judgment) judgeAgain(ctx context.Context, at sourceFile, f *judgedFile) error {
	missing := map[bool][]sdk.TestID{}
	for _, t := range f.Tests {
		test := sdk.TestID{Suite: t.Suite, Test: t.Test}
		if _, ok := j.read[looked{at, test, t.Whole}]; !ok && t.Use == failedHere {
			missing[t.Whole] = append(missing[t.Whole], test)
		}
	}
	for whole, tests := range missing {
		if err := j.readTimelines(ctx, at.language, tests, whole, func(history.Timeline, lookedAt) {}); err != nil {
			return err
		}
	}
	var timelines []history.Timeline
	for _, t := range f.Tests {
		if line, ok := j.read[looked{at, sdk.TestID{Suite: t.Suite, Test: t.Test}, t.Whole}]; ok && t.Use == failedHere {
			timelines = append(timelines, line)
		}
	}
	if j.suspects[at] = timelines; len(timelines) == 0 {
		return nil
	}
	whole, err := j.completeOf(ctx, at.language)
	if err != nil {
		return err
	}
	f.Ended = endedBy(whole, timelines)
	j.older, j.known = false, nil
	spot, order, err := j.spot(ctx, at, classify.FileSubject{Suspects: timelines, Complete: whole, Deferred: in(j.deferred)})
	if f.Older, f.Known = j.older, j.known; spot.Recurring || spot.Regressed || len(spot.Flaky) > 0 {
		f.Spot, f.Order = &spot, order
	}
	return err
}

// asOf returns the timelines of the suspects of files that were judged again, and the
// runs that got to every test, as they were after a run.
func (j *judgment) asOf(ctx context.Context, run history.Run, files []sourceFile) (map[sourceFile][]history.Timeline, CompleteSet, error) {
	if n := len(j.finished); n == 0 || run.Order == 0 || j.finished[n-1] <= run.Order {
		whole, err := j.completeOf(ctx, run.Language)
		return j.suspects, whole, err
	}
	whole, err := CompleteRuns(ctx, j.Ledger, run.Language, run.Order+1)
	if err != nil {
		return nil, nil, err
	}
	earlier := map[sourceFile][]history.Timeline{}
	var tests []sdk.TestID
	for _, f := range j.files {
		if !slices.Contains(files, sourceFile{f.Language, f.File}) {
			continue
		}
		for _, t := range f.Tests {
			if t.Use == failedHere {
				tests = append(tests, sdk.TestID{Suite: t.Suite, Test: t.Test})
			}
		}
	}
	filter := history.TimelineFilter{Language: run.Language, Tests: tests, Before: run.Order + 1, Points: j.extent.Points, Ends: true}
	err = Timelines(ctx, j.Ledger, filter, func(t history.Timeline) {
		own, foreign := splitForeign(t.Points)
		if at := (sourceFile{run.Language, t.File}); len(own) > 0 && (anyBad(own) || !anyBad(foreign)) {
			t.Points = own
			earlier[at] = append(earlier[at], t)
		}
	})
	return earlier, whole, err
}

// kept returns the previously stored judgment.
func (j *judgment) kept() KeptSpots {
	if j == nil {
		return KeptSpots{}
	}
	return j.before
}

// keep stores the judgment. order is that of our newest run, language the run's
// language; empty means any.
func (j *judgment) keep(ctx context.Context, order int64, language string) (KeptSpots, error) {
	kept := KeptSpots{
		keptHead{
			Order: max(order, j.before.Order), Deferred: setName(j.deferred), Runs: spansOf(j.finished),
			Languages: slices.Clone(j.before.Languages),
		},
		keptFiles{Files: j.files},
	}
	if j.holds {
		kept.Names, kept.Namesakes, kept.Bases, kept.Rest = j.before.Names, j.before.Namesakes, maps.Clone(j.before.Bases), j.before.Rest
	} else {
		kept.Bases = basesOf(j.files)
	}
	for language, b := range kept.Bases {
		whole, err := j.completeOf(ctx, language)
		if err != nil {
			return kept, err
		}
		b.Complete = nil
		for _, r := range whole {
			b.Complete = append(b.Complete, r.Order)
		}
		kept.Bases[language] = b
	}
	var err error
	if len(kept.Languages) == 0 {
		if kept.Languages, err = j.Ledger.Languages(ctx); err != nil {
			return kept, err
		}
	}
	for _, l := range append(j.languages, language) {
		if l != "" && !slices.Contains(kept.Languages, l) {
			kept.Languages = append(kept.Languages, l)
		}
	}
	if !j.holds {
		if err := j.name(ctx, &kept); err != nil {
			return kept, err
		}
	}
	return kept, keepSpots(ctx, j.Ledger, kept, j.holds)
}
