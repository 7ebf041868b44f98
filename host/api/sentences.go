package api

import (
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// NoPass says why the last run of a language is not a pass.
func NoPass(last Run, language string) string {
	return fmt.Sprintf("the last run is not a pass: %s: %s (%s)", last.Verdict.Words(), last.Reason, language)
}

// NoRunYet answers questions about the last run before there is one. Agents have a
// sentence of their own.
const NoRunYet = "no tests have been run here yet"

// NoExit reports whether a run has no exit code because no process exited, or its code
// is unknown.
func NoExit(run Run) bool { return run.ExitCode == -1 && run.Signal == "" }

// soonest is the part of proctor's deadline before which only a limit of the runner's own
// ends a run: a plugin may have its runner end a tenth sooner, so that it says what hung.
const soonest = 0.89

// PassedDeadline returns proctor's deadline if that ended the run, and 0 if a limit of the
// runner's own did.
func PassedDeadline(run Run) time.Duration {
	if !run.TimedOut || run.DurationS < soonest*run.TimeoutS {
		return 0
	}
	return time.Duration(run.TimeoutS * float64(time.Second))
}

// StaleSentence says what changed in the sources since a result; empty if nothing did,
// or it is unknown.
func StaleSentence(s *Stale) string {
	if s == nil || s.Changed == 0 {
		return ""
	}
	text := fmt.Sprintf("(%s changed since: %s", Plural(s.Changed, "file"), prose.Listed(s.Files, s.Changed, MaxStaleNames, prose.Line))
	if len(s.Suites) > 0 {
		text += "; in or beside tests of " + prose.Listed(s.Suites, s.SuitesTotal, MaxStaleNames, prose.Line)
	}
	return text + ")"
}

// MaxStaleNames is how many names of stale files or suites fit on a line.
const MaxStaleNames = 5

// LikenessSentence says how alike two failures of a test are; empty if unknown.
func LikenessSentence(l Likeness) string {
	switch l {
	case SameFailureAgain:
		return "same failure"
	case SimilarFailure:
		return "similar failure"
	case OtherMessage:
		return "with another message"
	case OtherPlace:
		return "at another place"
	case OtherKind:
		return "another kind of failure"
	}
	return ""
}

// AbsenceLine says why a test has no result in a run.
func AbsenceLine(a Absence) string {
	if a.Reason == NotBuilt {
		return fmt.Sprintf("Its suite did not build in run %s %s ago: it did not run since.", prose.Line(a.RunID), prose.Seconds(a.AgeS))
	}
	return fmt.Sprintf("It vanished: run %s %s ago got to every test, and it was not among them.", prose.Line(a.RunID), prose.Seconds(a.AgeS))
}
