package libtest

import (
	"slices"
	"strings"
)

// Bounds of what one binary can make the reader keep. The largest Rust projects
// have some ten thousand tests in a binary.
const (
	maxTests = 200_000
	// A section's head and tail are kept: the head has what the test printed
	// first, the tail the panic.
	maxHead = 64 << 10
	maxTail = 128 << 10
)

// Section is what a failed test printed.
type Section struct {
	Test      string
	Text      string
	Truncated bool
}

// Config says where a Reader reports to.
type Config struct {
	// Section is called for each failed test that libtest printed output of.
	Section func(Section)
	// Block is called when a binary's text has ended.
	Block func(Block)
	// Foreign is called with each line that is no part of libtest's text.
	Foreign func(line string)
}

// Reader reads the standard output of one command, line by line.
type Reader struct {
	cfg   Config
	block *Block
	stage stage

	index map[string]int // of a test in block.Results
	// doubtful are passes after other text on their line.
	doubtful []string
	last     string // the line before, while a test is pending
	section  *section
	done     map[string]bool // tests whose section was read
	// list are the lines since the last "failures:", which is the list of the
	// failed tests if the end follows.
	list   []string
	inList bool
	failed []string
}

type stage int

const (
	running stage = iota
	successes
	failures
)

// NewReader returns a reader.
func NewReader(cfg Config) *Reader { return &Reader{cfg: cfg} }

// Line reads one line without its end. whole is false for a piece of a line that was too
// long or truncated: such a piece is never a result.
func (r *Reader) Line(line string, whole bool) {
	if whole {
		if m := matchPrefixed(headerLine, "running ", line); m != nil && (r.block == nil || r.block.Ended) && r.section == nil {
			r.Close()
			r.beginBlock(parseNumber(m[1]))
			return
		}
	}
	if r.block == nil {
		r.reportForeign(line)
		return
	}
	if whole && r.readResult(line) {
		return
	}
	switch r.stage {
	case running:
		r.readRunning(line, whole)
	case successes:
		r.readSuccess(line)
	default:
		r.readFailure(line, whole)
	}
}

// Close ends the block that is being read.
func (r *Reader) Close() {
	if r.block == nil {
		return
	}
	r.endPending("")
	if !r.block.Ended {
		r.leaveList()
	}
	r.endSection()
	r.reconcile()
	if _, ended := r.index[r.block.Pending]; ended {
		r.block.Pending = ""
	}
	r.cfg.Block(*r.block)
	*r = Reader{cfg: r.cfg}
}

// Ended returns how many tests have passed, failed and been ignored so far.
func (r *Reader) Ended() Counts {
	var c Counts
	if r.block == nil {
		return c
	}
	for _, res := range r.block.Results {
		switch res.Status {
		case Passed:
			c.Passed++
		case Failed:
			c.Failed++
		case Ignored:
			c.Ignored++
		}
	}
	return c
}

func (r *Reader) beginBlock(announced int) {
	r.block = &Block{Announced: announced}
	r.index, r.done = map[string]int{}, map[string]bool{}
}

// readResult reads the line "test result:". A test may print one, too: the last one
// counts, and is compared with everything else.
func (r *Reader) readResult(line string) bool {
	m := matchPrefixed(endLine, "test result: ", line)
	if m == nil {
		return false
	}
	r.endPending("")
	b := r.block
	b.Ended, b.OK = true, m[1] == "ok"
	b.Counts = Counts{Passed: parseNumber(m[2]), Failed: parseNumber(m[3]), Ignored: parseNumber(m[4]), Measured: parseNumber(m[5])}
	switch {
	case r.inList:
		r.failed = readNames(r.list)
		if r.isComplete(r.failed) {
			r.endSection()
		}
	case r.section != nil:
		r.section.add(line)
	}
	return true
}

// isComplete reports whether a list has every failed test that is known, like the real
// list.
func (r *Reader) isComplete(list []string) bool {
	known := map[string]bool{}
	for _, name := range list {
		known[name] = true
	}
	return !slices.ContainsFunc(r.block.Results, func(res Result) bool {
		return res.Status == Failed && !known[res.Name]
	})
}

// reconcile adds the listed failed tests and the doubtful passes to the results.
func (r *Reader) reconcile() {
	if !r.block.Ended {
		return
	}
	for _, name := range r.failed {
		r.add(Result{Name: name, Status: Failed})
	}
	for _, name := range r.doubtful {
		r.add(Result{Name: name, Status: Passed, Doubtful: true})
	}
}

// add notes the end of a test. A failure is never taken back.
func (r *Reader) add(res Result) {
	if i, ok := r.index[res.Name]; ok {
		if res.Status == Failed {
			r.block.Results[i] = res
		}
		return
	}
	if len(r.block.Results) == maxTests {
		r.block.Dropped = true
		return
	}
	r.index[res.Name] = len(r.block.Results)
	r.block.Results = append(r.block.Results, res)
}

func (r *Reader) reportForeign(line string) {
	if strings.TrimSpace(line) != "" {
		r.cfg.Foreign(line)
	}
}
