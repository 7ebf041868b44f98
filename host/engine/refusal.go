package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxAskedWord bounds one word of a request. Linux takes arguments of up to 128 KiB;
	// a plugin puts the name of an option before it, or quotes it.
	maxAskedWord = 100 << 10
	// maxAsked bounds them all: what a command takes, with room for proctor's own words.
	maxAsked = 512 << 10
)

// checkWords refuses what no command can have as an argument.
func checkWords(a Ask) error {
	total := 0
	check := func(what, word string) error {
		total += len(word) + 1
		switch {
		case len(word) > maxAskedWord:
			return &api.UsageError{Reason: fmt.Sprintf("%s has %d bytes, and a command takes %d", what, len(word), maxAskedWord), Fix: "select in another way, such as by a pattern"}
		case total > maxAsked:
			return &api.UsageError{Reason: fmt.Sprintf("what selects tests has more than %d bytes together, which is more than a command takes", maxAsked), Fix: "select in another way, such as by a pattern"}
		case strings.ContainsRune(word, 0):
			return &api.UsageError{Reason: what + " holds a NUL character, which no argument can have"}
		}
		return nil
	}
	var errs []error
	for _, word := range a.Selection.Suites {
		errs = append(errs, check("a package name", word))
	}
	for _, word := range a.RunnerArgs {
		errs = append(errs, check("a runner argument", word))
	}
	errs = append(errs, check("the filter", a.Selection.TestPattern), check("the path pattern", a.Selection.PathPattern), check("the suite pattern", a.Selection.SuitePattern))
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// refusal is a usage error where the runner did not take what the user asked for and
// ran nothing; nil for a run. What proctor composed alone is not the user's slip.
func (f *Finisher) refusal(run api.Run) *api.UsageError {
	asked := run.Selection.Narrows() || len(f.RunnerArgs) > 0 || run.Seed != ""
	exit := f.Run.Exit()
	if f.ToolErr != nil || !asked || exit.Unknown || endedWell(exit) || exit.TimedOut || exit.Cancelled || !f.Run.Col.Tally.IsRefused() {
		return nil
	}
	refused := f.Run.Col.Tally.Refused
	reason := "the runner refused it, and nothing was run: " + lastLines(refused.Words[0], project.MaxTailLines)
	if n := len(refused.Words) - 1 + refused.More; n > 0 {
		reason += fmt.Sprintf(" (and %d more)", n)
	}
	return &api.UsageError{Reason: reason}
}

// unask forgets that suites are red which were asked for and do not exist, or were to be
// built as nobody can: nothing of theirs could ever be outstanding.
func (f *Finisher) unask() {
	t := f.Run.Col.Tally
	f.Run.fold.Overrule(func(id api.Test) bool {
		return id.Test == "" && t.Refused.Suites[id.Suite] && t.Suites[id.Suite] == sdk.SuiteBuildFailed
	})
}

// lacksNothing reports whether a run is red only because something was asked for that
// the runner does not know, and what it left undone beside that is known.
func (f *Finisher) lacksNothing() bool {
	return f.ToolErr == nil && f.Project.ID.List && f.Run.Col.Tally.Refused.Explain(f.Run.Col.Tally)
}

// withdraw takes a run off the record that turned out to be none.
func (f *Finisher) withdraw(ctx context.Context, run api.Run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishLimit)
	defer cancel()
	var errs []error
	if f.watch != nil {
		f.watch.End(ctx)
	}
	if f.Chronicle != nil {
		f.Chronicle.Rec.Abandon()
		errs = append(errs, f.Memory.History.Remove(ctx, []string{run.RunID}, nil))
	}
	if f.Rec != nil {
		errs = append(errs, f.Store.Withdraw(ctx, run, f.lastLanguage))
		f.Rec.Withdraw()
	}
	if err := errors.Join(errs...); err != nil {
		f.Host.Cfg.Logger.Warn("a run that the runner refused could not be taken off the record", "run", run.RunID, "error", err)
	}
}
