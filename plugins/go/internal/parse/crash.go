package parse

import "strings"

// Bounds of what is kept of a dump.
const (
	// maxHead is the number of lines of the message.
	maxHead = 48
	// maxRunning is the number of tests listed as running.
	maxRunning = 4096
	// maxGoroutines counts the goroutines with code of the project; those that
	// run a test are kept up to maxTestGoroutines.
	maxGoroutines     = 256
	maxTestGoroutines = 512
)

// crash is the last words of a process: a message and stacks.
type crash struct {
	// under is the test whose text holds it; empty is no test.
	under string
	head  []string
	// running is the runner's own list at a time-out.
	running    []string
	goroutines []goroutine
	// stacks: at least one goroutine was seen.
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

// read takes one line.
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

// readRunning reads "\t\tTestA/b (1.2s)".
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

// first is the goroutine that died: the first with code of the project, since
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

// stuck is, in a deadlock, the first goroutine that waits for something else
// than its own subtests.
func (c *crash) stuck() goroutine {
	for _, g := range c.goroutines {
		if len(g.frames) > 0 && !g.waits {
			return g
		}
	}
	return c.first()
}
