package parse

import (
	"bytes"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// Bounds of what is kept of a dump.
const (
	// maxHead is the number of lines of the message.
	maxHead = 48
	// maxRunning is the number of tests listed as running.
	maxRunning = 4096
	// maxGoroutines bounds the goroutines that run code of the project; those that run a
	// test are kept up to maxTestGoroutines.
	maxGoroutines     = 256
	maxTestGoroutines = 512
)

// crash is the dump of a dying process: a message and stacks.
type crash struct {
	// under is the test whose text contains it, or "".
	under string
	head  []string
	// running is the runner's own list on a timeout.
	running    []string
	goroutines []goroutine
	// stacks reports whether at least one goroutine was seen.
	stacks bool

	state   crashState
	current goroutine
	tests   int
}

type crashState uint8

const (
	inHead crashState = iota
	inRunningTests
	inAside // what the runtime adds between message and stacks
	inStack
	betweenStacks
)

// read consumes one line.
func (c *crash) read(text string) {
	if state, ok := parseGoroutine(text); ok {
		c.endStack()
		c.stacks = true
		c.state, c.current = inStack, goroutine{state: state}
		return
	}
	switch c.state {
	case inHead:
		c.readHead(text)
	case inRunningTests:
		c.readRunning(text)
	case inStack:
		if text == "" {
			c.endStack()
			return
		}
		c.current.read(text)
	}
}

func (c *crash) readHead(text string) {
	switch {
	case text == "\trunning tests:":
		c.state = inRunningTests
	case text == "runtime stack:":
		c.state = inAside
	case len(c.head) < maxHead:
		c.head = append(c.head, text)
	}
}

// readRunning parses "\t\tTestA/b (1.2s)".
func (c *crash) readRunning(text string) {
	name, found := strings.CutPrefix(text, "\t\t")
	if !found {
		c.state = inAside
		return
	}
	if i := strings.LastIndex(name, " ("); i > 0 {
		name = name[:i]
	}
	if len(c.running) < maxRunning {
		c.running = append(c.running, name)
	}
}

func (c *crash) endStack() {
	if c.state != inStack {
		return
	}
	c.state = betweenStacks
	g := c.current
	c.current = goroutine{}
	switch {
	case !g.matters():
	case g.runner && c.tests < maxTestGoroutines:
		c.tests++
		c.goroutines = append(c.goroutines, g)
	case len(c.goroutines) < maxGoroutines:
		c.goroutines = append(c.goroutines, g)
	}
}

// first returns the goroutine that died: the first one with code of the project, since
// the very first may be the runtime's own.
func (c *crash) first() goroutine {
	for _, g := range c.goroutines {
		if len(g.frames) > 0 {
			return g
		}
	}
	if len(c.goroutines) > 0 {
		return c.goroutines[0]
	}
	return goroutine{}
}

// asleep is the message of a deadlock.
const asleep = "all goroutines are asleep"

// stuck returns, in a deadlock, the first goroutine that waits for anything but its own
// subtests.
func (c *crash) stuck() goroutine {
	for _, g := range c.goroutines {
		if len(g.frames) > 0 && !g.waits {
			return g
		}
	}
	return c.first()
}

// crashReader looks for the dump of a dying process in the text of a suite.
//
// A test may print something that looks the same, such as the output of a child
// process. Such a dump is dropped when the test that printed it goes on to its "---
// PASS" or "--- FAIL" line: a dead process prints no more.
type crashReader struct {
	// under is the test whose text is being read, and reading reports whether there is
	// one.
	under   string
	reading bool
	partial []byte
	current *crash
	// earlier is a complete dump that a later one may replace.
	earlier *crash
}

// read handles a piece of a test's text, or of text outside of tests if t is nil.
func (r *crashReader) read(t *test, escaped []byte) {
	name := ""
	if t != nil {
		name = t.name
	}
	starts := startsCrash(escaped)
	if !r.reading && !starts && !startsStack(escaped) {
		return
	}
	if r.reading && name != r.under && !starts {
		return
	}
	if starts && len(r.partial) == 0 && !(r.reading && name == r.under && r.continuesHead(escaped)) {
		r.begin(name)
	} else if !r.reading {
		r.begin(name)
		if t != nil {
			r.current.head = gluedHead(t)
		}
	}
	r.partial = testjson.AppendUnescaped(r.partial, escaped[:min(len(escaped), maxPiece)])
	rest := r.partial
	for {
		text, after, found := bytes.Cut(rest, []byte{'\n'})
		if !found {
			break
		}
		r.current.read(strings.ToValidUTF8(string(text), "\uFFFD"))
		rest = after
	}
	r.partial = r.partial[:copy(r.partial, rest)]
	if len(r.partial) > maxPiece {
		r.partial = r.partial[:0]
	}
}

func (r *crashReader) begin(name string) {
	if r.current != nil && r.current.stacks {
		r.earlier = r.current
	}
	r.under, r.reading = name, true
	r.partial = r.partial[:0]
	r.current = &crash{under: name}
}

// continuesHead reports whether the line is the message of a fatal error that the
// runtime announced with a line of its own.
func (r *crashReader) continuesHead(escaped []byte) bool {
	if r.current.stacks || r.current.state != inHead || len(r.current.head) == 0 || len(r.current.head) > 4 {
		return false
	}
	first := r.current.head[0]
	return bytes.HasPrefix(escaped, []byte("fatal error: ")) && (strings.HasPrefix(first, "runtime: ") || strings.HasPrefix(first, "unexpected fault address"))
}

// reset drops what was read.
func (r *crashReader) reset() {
	if r.reading || r.earlier != nil {
		*r = crashReader{partial: r.partial[:0]}
	}
}

// dropSurvived drops the dumps printed by a test that then ended normally.
func (r *crashReader) dropSurvived(name string) {
	if r.earlier != nil && r.earlier.under == name {
		r.earlier = nil
	}
	if r.reading && r.under == name {
		earlier := r.earlier
		*r = crashReader{partial: r.partial[:0], earlier: earlier}
	}
}

// crash returns the dump that the process died with, or nil.
func (r *crashReader) crash() *crash {
	for _, c := range []*crash{r.current, r.earlier} {
		if c == nil || !c.stacks {
			continue
		}
		c.endStack()
		return c
	}
	return nil
}

// stacklessCrash returns a dump without stacks, as with GOTRACEBACK=none, where the message
// is the last output.
func (r *crashReader) stacklessCrash() *crash {
	c := r.current
	if c == nil || c.stacks || len(c.head) == 0 || len(c.head) == maxHead {
		return nil
	}
	bare := *c
	bare.head = c.head[:1:1]
	for _, text := range c.head[1:] {
		if _, isExit := exitLine([]byte(text)); isExit || text == "" {
			continue
		}
		if text[0] != '\t' && text[0] != '[' {
			return nil
		}
		bare.head = append(bare.head, text)
	}
	return &bare
}

// startsCrash reports whether a line can be the first of a dump.
func startsCrash(escaped []byte) bool {
	if len(escaped) < 6 {
		return false
	}
	switch escaped[0] {
	case 'p':
		return bytes.HasPrefix(escaped, []byte("panic: "))
	case 'f':
		return bytes.HasPrefix(escaped, []byte("fatal error: "))
	case 'r':
		return bytes.HasPrefix(escaped, []byte("runtime: goroutine stack exceeds"))
	case 'u':
		return bytes.HasPrefix(escaped, []byte("unexpected fault address"))
	case 'S':
		return bytes.HasPrefix(escaped, []byte("SIG")) && bytes.IndexByte(escaped, ':') > 0 && bytes.IndexByte(escaped, ':') < 12
	}
	return false
}

// startsStack reports whether a line can be the first of a goroutine.
func startsStack(escaped []byte) bool {
	return len(escaped) > 12 && escaped[0] == 'g' && bytes.HasPrefix(escaped, []byte("goroutine ")) && bytes.Contains(escaped, []byte("]:"))
}

// gluedLines is how many lines before the stacks a message may begin in the middle of a
// line.
const gluedLines = 24

// gluedHead finds the message of a dump that follows other text on its line.
func gluedHead(t *test) []string {
	lines := t.text.lines()
	from := max(0, len(lines)-gluedLines)
	for i := len(lines) - 1; i >= from; i-- {
		for _, start := range []string{"panic: ", "fatal error: "} {
			if at := strings.Index(lines[i].text, start); at >= 0 {
				return textsFrom(lines[i:len(lines)-1], at)
			}
		}
	}
	return nil
}

// textsFrom returns the texts of some lines, the first one from a position on.
func textsFrom(lines []line, at int) []string {
	all := make([]string, len(lines))
	for i, l := range lines {
		all[i] = l.text
	}
	if len(all) > 0 {
		all[0] = all[0][at:]
	}
	return all
}

var (
	// recovered matches what the runtime adds to a panic that was recovered and raised
	// again, as package testing does.
	recovered = lazyregexp.New(` \[recovered[^\]]*\]$`)
	// addresses match values that differ from run to run.
	addresses = lazyregexp.New(` pc=0x[0-9a-f]+`)
)

// message cleans up the runtime's message.
func (c *crash) message() (kind, message string) {
	if at := slices.IndexFunc(c.head, func(l string) bool { return strings.HasPrefix(l, fatalError) }); at >= 0 {
		kind, message = sdk.KindFatal, c.fatalMessage(at)
	} else if len(c.head) > 0 && strings.HasPrefix(c.head[0], "SIG") {
		kind, message = sdk.KindFatal, c.head[0]
	} else {
		kind, message = sdk.KindPanic, c.panicMessage()
	}
	switch {
	case message == "":
		message = kind + " without a message"
	case strings.HasPrefix(message, "unexpected call to os.Exit("):
		kind = sdk.KindExit
	}
	return kind, message
}

const (
	fatalError = "fatal error: "
	panicStart = "panic: "
)

// fatalMessage returns the paragraph of a fatal error, including the line that may
// announce it.
func (c *crash) fatalMessage(at int) string {
	var kept []string
	for _, text := range c.head[at:] {
		if text == "" {
			break
		}
		kept = append(kept, addresses.ReplaceAllString(text, ""))
	}
	kept[0] = strings.TrimPrefix(kept[0], fatalError)
	if at > 0 && strings.HasPrefix(c.head[0], "unexpected fault") {
		kept[0] += ": " + c.head[0]
	}
	return wording.Tidy(kept)
}

// panicMessage joins a chain of panics. Up to Go 1.22 one that was recovered and raised
// again is printed twice.
func (c *crash) panicMessage() string {
	var chain []string
	var current []string
	end := func() {
		if text := wording.Tidy(current); text != "" && (len(chain) == 0 || chain[len(chain)-1] != text) {
			chain = append(chain, text)
		}
		current = nil
	}
	aside := ""
	for _, text := range c.head {
		text = recovered.ReplaceAllString(text, "")
		if strings.HasPrefix(text, "[signal ") {
			aside = addresses.ReplaceAllString(text, "")
			continue
		}
		text = strings.TrimPrefix(text, "\t")
		if rest, found := strings.CutPrefix(text, panicStart); found {
			end()
			text = rest
		}
		current = append(current, text)
	}
	end()
	message := strings.Join(chain, "\n"+panicStart)
	if aside != "" {
		message += "\n" + aside
	}
	return message
}
