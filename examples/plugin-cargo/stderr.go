package cargotest

import (
	"regexp"
	"strings"

	"example.com/proctor-plugin-cargo/internal/panics"
	"github.com/proctorhq/proctor/sdk"
)

// Bounds of what is kept of standard error.
const (
	maxTold   = 1 << 20 // for the panics of tests that ran without capture
	maxErrors = 32 << 10
)

var (
	// cargo's words for a test binary that did not exit with 0, or with the 101 of
	// failed tests.
	processLine  = regexp.MustCompile(`^ +process didn't exit successfully: .*\(((?:signal|exit status|exit code): .*)\)$`)
	signalWord   = regexp.MustCompile(`\b(SIG[A-Z]+)\b`)
	overflowLine = regexp.MustCompile(`^thread '(.*)' (?:\(\d+\) )?has overflowed its stack$`)
	statusLine   = regexp.MustCompile(`^(?: +[A-Z][A-Za-z-]+ |warning: |error(?:\[|: )|Caused by:$| {2,}\S|fatal runtime error: )`)
)

// told is what was said on standard error.
type told struct {
	text    strings.Builder
	errors  strings.Builder
	inError bool
	// process is how the test binary ended, in cargo's words.
	process string
	// overflowed is the thread whose stack overflowed.
	overflowed string
	foreign    foreign
}

func (t *told) line(l sdk.Line) {
	line := plain(string(l.Text))
	if !l.Whole() { // nothing that cargo says is so long
		t.foreign.line(line)
		return
	}
	if t.text.Len()+len(line) < maxTold {
		t.text.WriteString(line + "\n")
	}
	if strings.HasPrefix(line, " ") { // cargo's own words, most lines of tests are none
		if m := processLine.FindStringSubmatch(line); m != nil {
			t.process = m[1]
		}
	} else if strings.HasPrefix(line, "thread '") {
		if m := overflowLine.FindStringSubmatch(line); m != nil {
			t.overflowed = m[1]
			return
		}
	}
	switch {
	case strings.HasPrefix(line, "error: ") || strings.HasPrefix(line, "error["):
		t.inError = true
	case line != "" && statusLine.MatchString(line) && !strings.HasPrefix(line, "  ") && line != "Caused by:":
		t.inError = false
	}
	if t.inError && t.errors.Len()+len(line) < maxErrors {
		t.errors.WriteString(line + "\n")
	}
	if !t.inError && line != "" && !statusLine.MatchString(line) {
		t.foreign.line(line)
	}
}

// error is what cargo said was wrong.
func (t *told) error() string { return strings.TrimSpace(t.errors.String()) }

// signal is the name of the signal that ended the test binary.
func (t *told) signal() string { return signalWord.FindString(t.process) }

// scriptPanics are those of a build script, which cargo indents.
func (t *told) scriptPanics() []panics.Panic {
	return panics.Read(strings.ReplaceAll(t.error(), "\n  ", "\n"))
}

// panics are those that were not captured.
func (t *told) panics() []panics.Panic { return panics.Read(t.text.String()) }

// panicsOf are a test's panics on standard error, by the name of its thread.
func (t *told) panicsOf(test string) []panics.Panic {
	var own []panics.Panic
	for _, x := range t.panics() {
		if x.Thread == test {
			own = append(own, x)
		}
	}
	return own
}
