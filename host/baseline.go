package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/measure"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
)

// BaselineRequest asks to set a run aside for later ones to be compared with.
type BaselineRequest struct {
	Where Where
	// Language is only needed where several languages measure something.
	Language string
	// Names are the measures that the run must have; none is any.
	Names []string
	// Ref names the run; empty is the last one.
	Ref string
}

// BaselineAnswer says what was set aside.
type BaselineAnswer struct {
	Run record.Run
	Age time.Duration
	// Path is where it lies.
	Path string
	// Tests are in it; LeftOut counts those that did not pass, of which nothing
	// is.
	Tests, LeftOut int
}

// SetBaseline sets a run aside. Without being named it must be the last one, and
// one of all tests: otherwise most of them would silently have no baseline.
func (h *Host) SetBaseline(ctx context.Context, req BaselineRequest) (BaselineAnswer, error) {
	store, err := h.measureRecords(ctx, req.Where)
	if err != nil {
		return BaselineAnswer{}, err
	}
	run, err := h.baselineRun(ctx, store, req)
	if err != nil {
		return BaselineAnswer{}, err
	}
	// The names narrow a comparison, not what there will be to compare with.
	set, err := (&measuredRuns{store: store}).load(ctx, run)
	if err != nil {
		return BaselineAnswer{}, err
	}
	answer := BaselineAnswer{Run: run, Age: h.age(run)}
	answer.Tests, answer.LeftOut = set.Only(req.Names).Measured()
	if answer.Tests == 0 {
		return answer, &UsageError{
			Reason: fmt.Sprintf("no test of run %s passed and measured %s", run.RunID, (&measuredRuns{names: req.Names}).noun()),
			Fix:    "take a run that did",
		}
	}
	run.Failures, run.Unfinished, run.NeverStarted, run.Requested, run.Warnings = nil, nil, nil, nil, nil
	answer.Path, err = store.SetBaseline(session.Baseline{Run: run, Results: set.Results})
	return answer, err
}

// baselineRun is the run that is meant.
func (h *Host) baselineRun(ctx context.Context, store *session.Store, req BaselineRequest) (record.Run, error) {
	if req.Ref != "" {
		run, err := h.storedRun(ctx, store, req.Ref, req.Language)
		if err == nil && run.State != record.StateFinished {
			err = &UsageError{Reason: fmt.Sprintf("run %s goes on", run.RunID), Fix: "wait for its end"}
		}
		return run, err
	}
	histories, err := h.histories(ctx, store, req.Language, req.Names)
	if err != nil {
		return record.Run{}, err
	}
	if len(histories) > 1 {
		var languages []string
		for _, past := range histories {
			languages = append(languages, past.language)
		}
		return record.Run{}, &UsageError{Reason: "several languages have measures: " + strings.Join(languages, ", "), Fix: "name one with --lang"}
	}
	past := histories[0]
	switch {
	case past.now == nil:
		return record.Run{}, &UsageError{Reason: past.never()}
	case len(past.later) > 0:
		last := past.later[0]
		return record.Run{}, &UsageError{
			Reason: fmt.Sprintf("the last run, %s, measured nothing (%s)", last.RunID, last.Verdict),
			Fix:    fmt.Sprintf("make another run, or name the one that is meant, such as %s", past.now.Run.RunID),
		}
	case !measure.IsWhole(past.now.Run):
		return record.Run{}, &UsageError{
			Reason: fmt.Sprintf("the last run, %s, is not one of all tests (%s)", past.now.Run.RunID, partOf(past.now.Run)),
			Fix:    fmt.Sprintf("make a run of all, or name the one that is meant, such as %s", past.now.Run.RunID),
		}
	}
	return past.now.Run, nil
}

// partOf says why a run is not one of all tests.
func partOf(run record.Run) string {
	switch {
	case run.Kind == record.KindRerun:
		return "a rerun"
	case run.Selection.Narrows():
		return "filtered"
	case len(run.Selection.RunnerArgs) > 0:
		return "with runner arguments, which may leave some out"
	case run.Counts.NeverStarted > 0:
		return fmt.Sprintf("tests that never started: %d", run.Counts.NeverStarted)
	}
	return string(run.Verdict)
}
