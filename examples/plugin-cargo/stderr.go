package cargotest

import (
	"regexp"
	"strings"

	"example.com/proctor-plugin-cargo/internal/panics"
	"github.com/proctorhq/proctor/sdk"
)

// Bounds of what is kept of standard error.
const (
	maxText   = 1 << 20 // for the panics of tests that ran without capture
	maxErrors = 32 << 10
)

var (
	// What cargo prints for a test binary whose exit code is neither 0 nor 101, that of
	// failed tests.
	processLine  = regexp.MustCompile(`^ +process didn't exit successfully: .*\(((?:signal|exit status|exit code): .*)\)$`)
	signalWord   = regexp.MustCompile(`\b(SIG[A-Z]+)\b`)
	overflowLine = regexp.MustCompile(`^thread '(.*)' (?:\(\d+\) )?has overflowed its stack$`)
	statusLine   = regexp.MustCompile(`^(?: +[A-Z][A-Za-z-]+ |warning: |error(?:\[|: )|Caused by:$| {2,}\S|fatal runtime error: )`)
)

// stderrReader keeps what cargo and the tests printed to standard error.
type stderrReader struct {
	text    strings.Builder
	errors  strings.Builder
	inError bool
	// process is how the test binary ended, in cargo's words.
	process string
	// overflowed is the thread whose stack overflowed.
	overflowed string
	foreign    foreign
}

func (t *stderrReader) readLine(l sdk.Line) {
	line := stripColors(string(l.Text))
	if !l.Whole() { // cargo prints no line that long
		t.foreign.add(line)
		return
	}
	if t.text.Len()+len(line) < maxText {
		t.text.WriteString(line + "\n")
	}
	if strings.HasPrefix(line, " ") { // cargo indents this line; few tests print such
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
		t.foreign.add(line)
	}
}

// error returns cargo's error messages.
func (t *stderrReader) error() string { return strings.TrimSpace(t.errors.String()) }

// signal returns the name of the signal that killed the test binary, or "".
func (t *stderrReader) signal() string { return signalWord.FindString(t.process) }

// scriptPanics returns the panics of a build script, whose output cargo indents.
func (t *stderrReader) scriptPanics() []panics.Panic {
	return panics.Read(strings.ReplaceAll(t.error(), "\n  ", "\n"))
}

// panics returns the panics that were not captured.
func (t *stderrReader) panics() []panics.Panic { return panics.Read(t.text.String()) }

// panicsOf returns a test's panics on standard error, by the name of its thread.
func (t *stderrReader) panicsOf(test string) []panics.Panic {
	var own []panics.Panic
	for _, x := range t.panics() {
		if x.Thread == test {
			own = append(own, x)
		}
	}
	return own
}
