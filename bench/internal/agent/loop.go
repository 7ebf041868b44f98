package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// maxRuns is more than any way to green should take.
const maxRuns = 20

// Job is a broken module to be made green.
type Job struct {
	Dir    string
	Faults []Fault // already injected
	// Kept receives everything that was read.
	Kept io.Writer
}

// Report is what a job took.
type Report struct {
	// Read is the cost of the actions' results.
	Read Cost
	// Told is what a model is told before it does anything: the instructions and the
	// definitions of the tools. A shell tells it nothing.
	Told Cost
	Wall time.Duration
}

// StuckError reports a red result that leads nowhere, or an endless loop.
type StuckError struct {
	Runs int
	Last string // what was read last
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("after %d runs, nothing that was read leads to a fault; the last result:\n%s", e.Runs, e.Last)
}

// result is what one look at the tests showed.
type result struct {
	// passed reports whether what was run has passed, and nothing is known to be red.
	passed bool
	// complaints are the failures, each with its place and message.
	complaints []string
}

// workplace runs tests and reads results.
type workplace interface {
	everything(context.Context) (result, error)
	// failing reruns what has not passed.
	failing(context.Context) (result, error)
	// more reads whatever else there is about the last run.
	more(context.Context) (result, error)
}

// work makes the module green: it fixes what the results point to, and finally trusts
// only a run of everything.
func (j Job) work(ctx context.Context, w workplace) error {
	left := j.Faults
	fix := func(r result) (fixed bool, err error) {
		var still []Fault
		for _, f := range left {
			if !isShownIn(r.complaints, f) {
				still = append(still, f)
				continue
			}
			fixed, err = true, errors.Join(err, f.fix(j.Dir))
		}
		left = still
		return fixed, err
	}
	whole := true
	r, err := w.everything(ctx)
	for runs := 1; err == nil; runs++ {
		switch {
		case r.passed && whole:
			return checkFixed(left)
		case runs == maxRuns:
			return &StuckError{Runs: runs, Last: strings.Join(r.complaints, "\n")}
		case r.passed:
			whole = true
			r, err = w.everything(ctx)
			continue
		}
		fixed, merr := fix(r)
		if merr == nil && !fixed && len(r.complaints) > 0 {
			if r, merr = w.more(ctx); merr == nil {
				fixed, merr = fix(r)
			}
			if merr == nil && !fixed {
				return &StuckError{Runs: runs, Last: strings.Join(r.complaints, "\n")}
			}
		}
		if merr != nil {
			return merr
		}
		whole = false
		r, err = w.failing(ctx)
	}
	return err
}

func isShownIn(complaints []string, f Fault) bool {
	for _, c := range complaints {
		if f.isShownBy(c) {
			return true
		}
	}
	return false
}

func checkFixed(left []Fault) error {
	if len(left) == 0 {
		return nil
	}
	var files []string
	for _, f := range left {
		files = append(files, f.File)
	}
	return errors.New("everything passed, but there are still faults in " + strings.Join(files, ", "))
}
