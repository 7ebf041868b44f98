package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
)

// The exit codes; docs/verdicts.md explains them.
const (
	exitPassed      = 0
	exitFailed      = 1
	exitUsage       = 2
	exitTool        = 3
	exitNothingRan  = 4
	exitOutstanding = 5
	exitIncomplete  = 6
	exitTimedOut    = 124
	exitInterrupted = 130
)

// exitOrder lists the exit codes of runs, worst last.
var exitOrder = [...]int{
	exitPassed, exitOutstanding, exitNothingRan, exitIncomplete, exitTimedOut, exitFailed, exitTool, exitInterrupted,
}

// runsExit returns the worst exit code of some runs. Without a run nothing ran.
func runsExit(runs []api.Run) int {
	worst := -1
	for i, r := range runs {
		exit := runExit(r)
		// What a part of a rerun leaves outstanding is up to the later parts.
		later := func(other api.Run) bool { return other.Kind == r.Kind && other.Language == r.Language }
		if exit == exitOutstanding && slices.ContainsFunc(runs[i+1:], later) {
			exit = exitPassed
		}
		worst = max(worst, slices.Index(exitOrder[:], exit))
	}
	if worst < 0 {
		return exitNothingRan
	}
	return exitOrder[worst]
}

// worstLast orders runs for a person, who reads upwards from the prompt: the language that
// ended worst comes last. Otherwise the last line of a red command could be a pass. The
// parts of a rerun stay in the order in which they ran.
func worstLast(runs []api.Run) []api.Run {
	by := map[string][]api.Run{}
	for _, r := range runs {
		by[r.Language] = append(by[r.Language], r)
	}
	rank := func(r api.Run) int { return slices.Index(exitOrder[:], runsExit(by[r.Language])) }
	return slices.SortedStableFunc(slices.Values(runs), func(a, b api.Run) int { return cmp.Compare(rank(a), rank(b)) })
}

// worse returns the worse of two exit codes.
func worse(a, b int) int {
	return exitOrder[max(slices.Index(exitOrder[:], a), slices.Index(exitOrder[:], b))]
}

func runExit(r api.Run) int {
	switch {
	case r.Kind == api.KindMerge: // a shard was interrupted or timed out; the verdict says so
	case r.Cancelled:
		return exitInterrupted
	case r.TimedOut:
		return exitTimedOut
	}
	switch r.Verdict {
	case api.Passed:
		if r.Kind == api.KindRerun && r.OutstandingUnquarantined() > 0 {
			return exitOutstanding
		}
		return exitPassed
	case api.Failed, api.BuildFailed:
		return exitFailed
	case api.NothingRan:
		return exitNothingRan
	case api.Incomplete:
		return exitIncomplete
	}
	return exitTool
}

// errorExit returns the exit code for an error that kept a command from its work.
func errorExit(err error) int {
	var (
		usage    *api.UsageError
		refused  *api.NotTakenError
		language *api.LanguageError
		several  *api.LanguagesError
		noTest   *api.NoTestError
		noRun    *api.UnknownRunError
		project  *api.NoProjectError
		dir      *api.DirectoryError
		flag     *flags.Error
	)
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &refused), errors.As(err, &language), errors.As(err, &several), errors.As(err, &noTest),
		errors.As(err, &noRun), errors.As(err, &project), errors.As(err, &dir), errors.As(err, &flag):
		return exitUsage
	}
	return exitTool
}
