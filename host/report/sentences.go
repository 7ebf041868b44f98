package report

import (
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/record"
)

// NoRunYet answers every question about the last run before the first one.
const NoRunYet = "no run_tests call yet in this session"

// NoStructuredFailures answers for a language whose plugin cannot say what
// failed.
func NoStructuredFailures(language string, age time.Duration) string {
	return fmt.Sprintf("no structured failures available for %s (last run_tests %s ago)", Line(language), Duration(age))
}

// NoFailures answers for a run that passed.
func NoFailures(passed int, language string, age time.Duration) string {
	return fmt.Sprintf("last run_tests had no failures (%d tests passed, %s, %s ago)", passed, Line(language), Duration(age))
}

// NothingToRerun answers a rerun when nothing is outstanding.
func NothingToRerun(language string) string {
	return fmt.Sprintf("last run_tests had no failures — nothing to rerun (%s)", Line(language))
}

// RerunUnsupported answers a rerun for a language that cannot be rerun.
func RerunUnsupported(language string) string {
	return fmt.Sprintf("run_failing_tests: %s detector has no structured failures; rerun run_tests manually", Line(language))
}

// TimedOutAfter is the time-out line of the raw form.
func TimedOutAfter(limit time.Duration) string {
	return fmt.Sprintf("timed out after %ds", int(limit.Round(time.Second)/time.Second))
}

// ExitLine is the last line of the raw form: the runner's exit code.
func ExitLine(code int) string { return fmt.Sprintf("exit: %d", code) }

// noExit is that line where there is no exit code to tell.
const noExit = "exit: none, no process came to an end"

// EndLine is the last line about a run: its exit code, if it has one.
func EndLine(run record.Run) string {
	if NoExit(run) {
		return noExit
	}
	return ExitLine(run.ExitCode)
}

// NoExit tells whether a run has no exit code since no process ran to an end, or none
// is known.
func NoExit(run record.Run) bool { return run.ExitCode == -1 && run.Signal == "" }

// FailuresHeader begins the listing of a run's failures. of names the run; empty is
// the last one.
func FailuresHeader(run record.Run, age time.Duration, of string) string {
	if of == "" {
		of = "last run_tests call"
	}
	return fmt.Sprintf("%d test failure(s) from %s (%s, %s ago):", run.FailuresTotal, of, Line(run.Language), Duration(age))
}

// Duration says how long ago something was, in whole units: "3s", "12m", "2h",
// "5d".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d/time.Hour))
	}
	return fmt.Sprintf("%dd", int(d/(24*time.Hour)))
}
