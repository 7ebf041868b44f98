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
	// weak are passes that stand behind other text on their line.
	weak    []string
	last    string // the line before, while a test is pending
	section *section
	done    map[string]bool // tests whose section was there
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

// Line takes one line without its end. whole is false for a piece of a line that
// was too long, or of a line that was cut: it is never a result.
func (r *Reader) Line(line string, whole bool) {
	if whole {
		if m := match(headerLine, "running ", line); m != nil && (r.block == nil || r.block.Ended) && r.section == nil {
			r.Close()
			r.begin(number(m[1]))
			return
		}
	}
	if r.block == nil {
		r.foreign(line)
		return
	}
	if whole && r.end(line) {
		return
	}
	switch r.stage {
	case running:
		r.running(line, whole)
	case successes:
		r.success(line)
	default:
		r.failure(line, whole)
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

func (r *Reader) begin(announced int) {
	r.block = &Block{Announced: announced}
	r.index, r.done = map[string]int{}, map[string]bool{}
}

// end reads the line "test result:". A test may have printed one: the last one
// counts, and is held against everything else.
func (r *Reader) end(line string) bool {
	m := match(endLine, "test result: ", line)
	if m == nil {
		return false
	}
	r.endPending("")
	b := r.block
	b.Ended, b.OK = true, m[1] == "ok"
	b.Counts = Counts{Passed: number(m[2]), Failed: number(m[3]), Ignored: number(m[4]), Measured: number(m[5])}
	switch {
	case r.inList:
		r.failed = listed(r.list)
		if r.complete(r.failed) {
			r.endSection()
		}
	case r.section != nil:
		r.section.add(line)
	}
	return true
}

// complete reports whether a list has every failed test that is known, as the real
// one has.
func (r *Reader) complete(list []string) bool {
	known := map[string]bool{}
	for _, name := range list {
		known[name] = true
	}
	return !slices.ContainsFunc(r.block.Results, func(res Result) bool {
		return res.Status == Failed && !known[res.Name]
	})
}

// reconcile adds what was kept apart: the list of failed tests, and doubtful passes.
func (r *Reader) reconcile() {
	if !r.block.Ended {
		return
	}
	for _, name := range r.failed {
		r.add(Result{Name: name, Status: Failed})
	}
	for _, name := range r.weak {
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

func (r *Reader) foreign(line string) {
	if strings.TrimSpace(line) != "" {
		r.cfg.Foreign(line)
	}
}
