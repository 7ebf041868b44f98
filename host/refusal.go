package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/record"
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
func checkWords(a ask) error {
	total := 0
	check := func(what, word string) error {
		total += len(word) + 1
		switch {
		case len(word) > maxAskedWord:
			return &UsageError{Reason: fmt.Sprintf("%s has %d bytes, and a command takes %d", what, len(word), maxAskedWord), Fix: "select in another way, such as by a pattern"}
		case total > maxAsked:
			return &UsageError{Reason: fmt.Sprintf("what selects tests has more than %d bytes together, which is more than a command takes", maxAsked), Fix: "select in another way, such as by a pattern"}
		case strings.ContainsRune(word, 0):
			return &UsageError{Reason: what + " holds a NUL character, which no argument can have"}
		}
		return nil
	}
	var errs []error
	for _, word := range a.selection.Suites {
		errs = append(errs, check("a package name", word))
	}
	for _, word := range a.runnerArgs {
		errs = append(errs, check("a runner argument", word))
	}
	errs = append(errs, check("the filter", a.selection.TestPattern), check("the path pattern", a.selection.PathPattern), check("the suite pattern", a.selection.SuitePattern))
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// refusals is what a run's tally knows of what the runner did not take.
type refusals struct {
	// words are the different ones, at most maxNotes; more counts the others.
	words []string
	more  int
	// suites are those that did not run because of them.
	suites map[string]bool
	// whole: a command ran nothing because of one.
	whole bool
}

func (r *refusals) add(refusal sdk.Refusal) {
	switch {
	case slices.Contains(r.words, refusal.Words):
	case len(r.words) < maxNotes:
		r.words = append(r.words, refusal.Words)
	default:
		r.more++
	}
	if r.suites == nil {
		r.suites = map[string]bool{}
	}
	for _, suite := range refusal.Suites {
		r.suites[suite] = true
	}
	r.whole = r.whole || len(refusal.Suites) == 0
}

func (r *refusals) any() bool { return len(r.words) > 0 }

// explain reports whether refusals account for all failures and suites that are wrong.
func (r *refusals) explain(t *tally) bool {
	if !r.any() || t.otherFailures+t.interruptions > 0 || t.unlisted() > 0 || t.damaged > 0 || t.counts.Failed+t.derived+t.counts.Unfinished > 0 {
		return false
	}
	for _, f := range t.failures {
		if !r.suites[f.Suite] && !(f.Suite == "" && r.whole) {
			return false
		}
	}
	for suite, end := range t.suites {
		if end != sdk.SuitePassed && end != sdk.SuiteNoTests && (!r.suites[suite] || end != sdk.SuiteBuildFailed && end != sdk.SuiteAborted) {
			return false
		}
	}
	return true
}

// isRefused reports whether a refusal is all there is: no test has a result, and no
// suite passed.
func (t *tally) isRefused() bool {
	for _, end := range t.suites {
		if end == sdk.SuitePassed {
			return false
		}
	}
	return t.results == 0 && t.refused.explain(t)
}

// refusal is a usage error where the runner did not take what the user asked for and
// ran nothing; nil for a run. What proctor composed alone is not the user's slip.
func (f *finisher) refusal(run record.Run) *UsageError {
	asked := run.Selection.Narrows() || len(f.runnerArgs) > 0 || run.Seed != ""
	exit := f.run.exit()
	if f.toolErr != nil || !asked || exit.Unknown || endedWell(exit) || exit.TimedOut || exit.Cancelled || !f.run.col.tally.isRefused() {
		return nil
	}
	refused := f.run.col.tally.refused
	reason := "the runner refused it, and nothing was run: " + lastLines(refused.words[0], maxTailLines)
	if n := len(refused.words) - 1 + refused.more; n > 0 {
		reason += fmt.Sprintf(" (and %d more)", n)
	}
	return &UsageError{Reason: reason}
}

// unask forgets that suites are red which were asked for and do not exist, or were to be
// built as nobody can: nothing of theirs could ever be outstanding.
func (f *finisher) unask() {
	t := f.run.col.tally
	f.run.fold.Overrule(func(id record.Test) bool {
		return id.Test == "" && t.refused.suites[id.Suite] && t.suites[id.Suite] == sdk.SuiteBuildFailed
	})
}

// lacksNothing reports whether a run is red only because something was asked for that
// the runner does not know, and what it left undone beside that is known.
func (f *finisher) lacksNothing() bool {
	return f.toolErr == nil && f.project.id.List && f.run.col.tally.refused.explain(f.run.col.tally)
}

// withdraw takes a run off the record that turned out to be none.
func (f *finisher) withdraw(ctx context.Context, run record.Run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	var errs []error
	if f.watch != nil {
		f.watch.end(ctx)
	}
	if f.chronicle != nil {
		f.chronicle.rec.Abandon()
		errs = append(errs, f.memory.history.Remove(ctx, []string{run.RunID}, nil))
	}
	if f.rec != nil {
		errs = append(errs, f.store.Withdraw(ctx, run, f.lastLanguage))
		f.rec.Withdraw()
	}
	if err := errors.Join(errs...); err != nil {
		f.host.cfg.Logger.Warn("a run that the runner refused could not be taken off the record", "run", run.RunID, "error", err)
	}
}
