package report

import (
	"strings"
	"time"
)

// RawOutput is one run's output as the seed's run_tests shows it.
type RawOutput struct {
	// Stdout and Stderr are already capped.
	Stdout, Stderr string
	TimedOut       bool
	Limit          time.Duration
	ExitCode       int
	// NoExit is as in [NoExit]: there is no exit code.
	NoExit bool
	// Unrecorded: no output of the run is on record.
	Unrecorded bool
}

// Raw renders it: standard output, the standard error if there is any, the
// time-out if there was one, and the runner's exit code.
func Raw(o RawOutput) string {
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
		b.WriteString(ExitLine(o.ExitCode) + "\n")
	}
	return b.String()
}

func section(b *strings.Builder, text string) {
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}
