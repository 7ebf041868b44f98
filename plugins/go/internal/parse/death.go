package parse

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// isSignal reports whether a signal from outside requested the dump. Signals of faults,
// such as in C code, count as crashes like a panic.
func (c *crash) isSignal() bool {
	if len(c.head) == 0 {
		return false
	}
	switch name, _, _ := strings.Cut(c.head[0], ":"); name {
	case "SIGQUIT", "SIGTERM", "SIGINT", "SIGHUP":
		return true
	}
	return false
}

// explainSignal reports the tests that were running when a signal ended the process
// with a dump.
func (a *attributor) explainSignal(s *suite, c *crash) {
	a.reportRunning(s, c, sdk.KindSignal, "ended by "+c.head[0])
}

// signalEnd begins cmd/go's message about a process that was ended by a signal.
const signalEnd = "signal: "

// exitLine parses what cmd/go prints after a process that failed silently or that it
// killed: "exit status 2", "signal: killed", "*** Test killed with quit: ran too long
// (1m1s).".
func exitLine(escaped []byte) (string, bool) {
	for _, start := range []string{"exit status ", signalEnd, killedByGo} {
		if bytes.HasPrefix(escaped, []byte(start)) {
			return strings.TrimSpace(string(testjson.AppendUnescaped(nil, escaped))), true
		}
	}
	return "", false
}

// exitAtEnd matches such a message behind a line that the process did not finish. In a log,
// which may have the same words, a space is before them.
var exitAtEnd = lazyregexp.New(`(?:\S(signal: [\w /]+(?: \(core dumped\))?)|(\*\*\* Test killed(?: with \w+)?: ran too long \(\S+\)\.))\n?$`)

// exitWithin is [exitLine] for the end of a line.
func exitWithin(escaped []byte) string {
	if !bytes.Contains(escaped, []byte(signalEnd)) && !bytes.Contains(escaped, []byte(killedByGo)) {
		return ""
	}
	found := exitAtEnd.FindSubmatch(testjson.AppendUnescaped(nil, escaped))
	if found == nil {
		return ""
	}
	return string(found[1]) + string(found[2])
}

// explainDeath reports why a process ended in the middle of its tests without a dump:
// it exited, something killed it, or the stream was cut.
func (a *attributor) explainDeath(s *suite, exit sdk.Exit) {
	kind, message := s.death(exit)
	if kind != sdk.KindExit {
		a.reportRunning(s, &crash{}, kind, message)
		return
	}
	name := deadTest(a.tree, s)
	r := s.unclaimed(name) // with halt_on_error the first race ends the process
	if r == nil && s.late != "" {
		r = s.unclaimed(s.late)
	}
	if r != nil && !r.mentions(s.name, rootOf(name)) {
		name = cmp.Or(r.firstTest(s.name), name)
	}
	f := finding{kind: kind, own: true}
	if t := s.tests[name]; t != nil {
		f.lines = withoutExitLine(t.text.lines())
	}
	if s.tests[name] == nil || s.late != "" {
		f.lines = s.own.lines()
	}
	f.anchor = max(0, len(f.lines)-1)
	f.message = message
	quoteLastWords(a.tree, s, &f)
	if r != nil {
		describeRace(a.tree, s, r, rootOf(name), &f)
	}
	a.blameFor(s, name, "", f)
}

// death returns how the process of a suite ended.
func (s *suite) death(exit sdk.Exit) (kind, message string) {
	last := s.lastExit()
	switch {
	case strings.HasPrefix(last, killedByGo):
		return sdk.KindTimeout, strings.Trim(last, "* ")
	case strings.HasPrefix(last, signalEnd) && exit.TimedOut:
		return sdk.KindTimeout, timeoutByHost
	case exit.Cancelled:
		return sdk.KindSignal, strings.TrimSuffix("the run was interrupted while the test was running: "+last, ": ")
	case strings.HasPrefix(last, signalEnd):
		return sdk.KindSignal, "the test process was ended by " + last
	case s.end == nil && exit.TimedOut:
		return sdk.KindTimeout, timeoutByHost
	case s.end == nil && exit.Signal != "":
		return sdk.KindSignal, "go test was ended by " + exit.Signal
	case s.end == nil:
		return sdk.KindSignal, "the output ends while the test was running"
	case last != "":
		return sdk.KindExit, "the test ended its process: " + last
	}
	return sdk.KindExit, "the test ended its process"
}

// lastExit returns what cmd/go said about the end of the process. That may be in the
// text of a test.
func (s *suite) lastExit() string {
	last := s.exitText
	for _, t := range s.runningTests() {
		lines := t.text.lines()
		for _, l := range lines[max(0, len(lines)-2):] {
			if text, ok := exitLine([]byte(l.text)); ok {
				last = text
			}
		}
	}
	return last
}

// withoutExitLine drops the line that cmd/go appended.
func withoutExitLine(lines []line) []line {
	if n := len(lines); n > 0 {
		if _, ok := exitLine([]byte(lines[n-1].text)); ok {
			return lines[:n-1]
		}
	}
	return lines
}

// quoteLastWords adds the last output of the process. What package log wrote is the
// reason itself.
func quoteLastWords(tree *tree, s *suite, f *finding) {
	words := lastWords(f.lines)
	stamped := logStamp.ReplaceAllString(words, "")
	f.location = tree.printedPlace(s, stamped)
	switch {
	case f.location.Line > 0:
		_, f.message, _ = strings.Cut(stamped, ": ")
	case stamped != words:
		f.message = stamped
	case words != "":
		f.message += "; its last output: " + words
	}
}

// logStamp matches what package log puts in front of a message.
var logStamp = lazyregexp.New(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)? `)

// lastWords returns the last output of a process, such as the message of log.Fatal.
func lastWords(lines []line) string {
	for i := len(lines) - 1; i >= 0; i-- {
		text := strings.TrimSpace(lines[i].text)
		if _, _, _, _, ok := blockStart(lines[i].text); ok || strings.HasPrefix(lines[i].text, indent) {
			break // logged by the test, so not why it ended
		}
		if text != "" && lines[i].kind != lineGap {
			return text
		}
	}
	return ""
}

// printedPlace parses a place at the start of a text, as package log prints it with
// Lshortfile or Llongfile.
func (t *tree) printedPlace(s *suite, text string) sdk.Location {
	at := strings.Index(text, ".go:")
	if at < 0 {
		return sdk.Location{}
	}
	line, _, ok := lineNumber(text[at+len(".go:"):])
	if !ok {
		return sdk.Location{}
	}
	file := text[strings.LastIndexByte(text[:at], ' ')+1 : at+len(".go")]
	if !t.isFile(t.resolve(s, file)) {
		return sdk.Location{}
	}
	return t.locate(s, file, line)
}

// deadTest picks the test during which the process ended: the only one that was
// running, or else the only one whose source ends processes, or else the one that spoke
// last. If none can be determined, the suite is blamed.
func deadTest(tree *tree, s *suite) string {
	leaves := s.leaves()
	if len(leaves) == 1 {
		return leaves[0].name
	}
	ending := ""
	for _, t := range leaves {
		if tree.calls(s).mayEndProcess(rootOf(t.name)) {
			if ending != "" {
				ending = ""
				break
			}
			ending = t.name
		}
	}
	if ending != "" {
		return ending
	}
	if s.last != nil && s.last.isLeaf() && len(s.last.text.lastPiece()) > 0 && s.end != nil && s.exitText == "" {
		return s.last.name
	}
	return ""
}

// explainOutside reports a suite that failed although none of its tests did: because of
// TestMain, of a check after the tests, or of a race that no test noticed.
func (a *attributor) explainOutside(s *suite, exit sdk.Exit) {
	f := finding{kind: sdk.KindExit, own: true, lines: withoutNoise(s.own.lines())}
	if s.completed { // what tests beside the passed ones printed is not why
		f.lines = withoutNoise(s.outside.lines())
	}
	if r := s.unclaimed(""); r != nil {
		describeRace(a.tree, s, r, "", &f)
		a.report(a.newFailure(s.id(""), f))
		return
	}
	if s.mayHaveBeenStopped() && (exit.Cancelled || exit.TimedOut) {
		// Whatever it printed, that is not why it ended.
		f.kind, f.message = sdk.KindSignal, "the run was interrupted before the package had ended: "+s.exitText
		if exit.TimedOut {
			f.kind, f.message = sdk.KindTimeout, timeoutByHost
		}
		a.report(a.newFailure(s.id(""), f))
		return
	}
	if s.started == 0 && !s.completed {
		f.kind = sdk.KindSetup
		a.reportRefusal(s)
		if a.hasUnknownFlag(s) {
			return
		}
	}
	texts := make([]string, len(f.lines))
	for i, l := range f.lines {
		texts[i] = l.text
	}
	f.message = wording.Tidy(texts)
	switch {
	case f.message != "":
		f.location = mentionedPlace(a.tree, s, f.lines)
	case strings.HasPrefix(s.exitText, signalEnd):
		f.kind, f.message = sdk.KindSignal, "the test process was ended by "+s.exitText
	case strings.HasPrefix(s.exitText, killedByGo):
		f.kind, f.message = sdk.KindTimeout, strings.Trim(s.exitText, "* ")
	case s.completed:
		f.message = "the package failed after its tests had passed"
	case s.started == 0:
		f.message = "the package failed before any test ran"
	default:
		f.message = "the test process ended between tests"
	}
	if s.exitText != "" && f.kind != sdk.KindSignal && f.kind != sdk.KindTimeout {
		f.message += "\n" + s.exitText
	}
	if a.selection.failedByCoverage(f.lines) {
		f.message += "\n" + byCoverage
	}
	a.report(a.newFailure(s.id(""), f))
}

// withoutNoise drops what cmd/go and package testing add to the output of a suite.
func withoutNoise(lines []line) []line {
	var kept []line
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.text, "coverage: "), strings.HasPrefix(l.text, "goos: "), strings.HasPrefix(l.text, "goarch: "),
			strings.HasPrefix(l.text, "pkg: "), strings.HasPrefix(l.text, "cpu: "), strings.HasPrefix(l.text, "ok  \t"),
			l.text == "testing: warning: no tests to run":
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// mentionedPlace returns the first place in the project's code that a text mentions, in
// a stack or at the start of a line.
func mentionedPlace(tree *tree, s *suite, lines []line) sdk.Location {
	var g goroutine
	for _, l := range lines {
		g.read(l.text)
	}
	if len(g.frames) > 0 {
		return tree.locate(s, g.frames[0].file, g.frames[0].line)
	}
	for _, l := range lines {
		if at := tree.printedPlace(s, l.text); at.Line > 0 {
			return at
		}
	}
	return sdk.Location{}
}
