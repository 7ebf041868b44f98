package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// TimedOutAfter is the timeout line of the raw form. A limit of 0 is the runner's own.
func TimedOutAfter(limit time.Duration) string {
	if limit == 0 {
		return "timed out by the runner's own limit"
	}
	return fmt.Sprintf("timed out after %ds", int(limit.Round(time.Second)/time.Second))
}

// exitLine is the last line of the raw form: the runner's exit code.
func exitLine(code int) string { return fmt.Sprintf("exit: %d", code) }

// noExit replaces that line if there is no exit code.
const noExit = "exit: none, no process exited"

// EndLine is the last line about a run: its exit code, if it has one.
func EndLine(run api.Run) string {
	if api.NoExit(run) {
		return noExit
	}
	return exitLine(run.ExitCode)
}

// FailuresHeader begins the listing of a run's failures. of names the run; empty means
// the last one.
func FailuresHeader(run api.Run, age time.Duration, of string) string {
	if of == "" {
		of = "last run_tests call"
	}
	interrupted := 0 // these tests were running when the run was stopped: they did not fail
	for _, f := range run.Failures {
		if run.Cancelled && cutOff(run, f) {
			interrupted++
		}
	}
	what := fmt.Sprintf("%d test failure(s)", run.FailuresTotal-interrupted)
	if interrupted > 0 {
		what += fmt.Sprintf(" and %d interrupted", interrupted)
	}
	return fmt.Sprintf("%s from %s (%s, %s ago):", what, of, prose.Line(run.Language), prose.Duration(age))
}

// Raw renders standard output, standard error if there is any, the timeout if there was
// one, and the runner's exit code.
func Raw(o api.RawOutput) string {
	var b strings.Builder
	section(&b, o.Stdout)
	if o.Stderr != "" {
		b.WriteString("--- stderr ---\n")
		section(&b, o.Stderr)
	}
	if o.TimedOut {
		b.WriteString(TimedOutAfter(o.Limit) + "\n")
	}
	if o.NoExit {
		b.WriteString(noExit + "\n")
	} else {
		b.WriteString(exitLine(o.ExitCode) + "\n")
	}
	return b.String()
}

func section(b *strings.Builder, text string) {
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// Retrying says that failed tests run again.
func Retrying(e api.Retrying) string {
	return fmt.Sprintf("retrying %s, try %d of %d", api.Plural(e.Tests, "failed test"), e.Try, e.Of)
}
