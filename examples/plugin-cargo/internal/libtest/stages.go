package libtest

import (
	"slices"
	"strings"
)

// readRunning reads the part in which tests end.
func (r *Reader) readRunning(line string, whole bool) {
	if whole {
		switch line {
		case "failures:":
			r.endPending(line)
			r.stage, r.inList = failures, true
			return
		case "successes:":
			r.endPending(line)
			r.stage = successes
			return
		}
		if m := matchPrefixed(slowLine, "test ", line); m != nil {
			if !slices.Contains(r.block.Slow, m[1]) && len(r.block.Slow) < maxTests {
				r.block.Slow = append(r.block.Slow, m[1])
			}
			return
		}
		if name, rest, ok := readTest(line); ok {
			if r.endPending(line); r.block.Pending == "" {
				r.readTestLine(name, rest)
			}
			return
		}
		if i := strings.LastIndex(line, "test "); i > 0 {
			r.readLateTest(line[i:])
		}
	}
	if r.block.Pending == "" {
		if !strings.HasPrefix(line, "all doctests ran in ") {
			r.reportForeign(line)
		}
		return
	}
	if whole && line != "" {
		r.last = line
	}
}

func (r *Reader) readTestLine(name, rest string) {
	if status, reason, ok := readEnd(rest); ok {
		r.add(Result{Name: name, Status: status, Reason: reason})
		return
	}
	// With one thread, libtest prints the name before the test runs, and its result after
	// whatever the test printed.
	r.block.Pending, r.last = name, rest
}

// readLateTest reads a result that follows other text on its line: a concurrent test
// printed something without a line end.
func (r *Reader) readLateTest(text string) {
	name, rest, ok := readTest(text)
	if !ok {
		return
	}
	switch status, reason, ok := readEnd(rest); {
	case !ok:
	case status == Passed && len(r.doubtful) < maxTests:
		r.doubtful = append(r.doubtful, name)
	case status != Passed:
		r.add(Result{Name: name, Status: status, Reason: reason})
	}
}

// endPending ends the test whose output was being read: its result is at the end of the
// last line before next.
func (r *Reader) endPending(next string) {
	if r.block.Pending == "" {
		return
	}
	if status, ok := readLate(r.last); ok {
		r.add(Result{Name: r.block.Pending, Status: status})
		r.block.Pending, r.last = "", ""
		return
	}
	if next != "" { // the test printed next
		r.reportForeign(r.last)
		r.last = next
	}
}

// readSuccess skips what passed tests printed (--show-output).
func (r *Reader) readSuccess(line string) {
	if line == "failures:" {
		r.stage, r.inList = failures, true
	}
}

// readFailure reads what failed tests printed, and the list of their names.
func (r *Reader) readFailure(line string, whole bool) {
	switch {
	case whole && line == "failures:":
		r.leaveList()
		r.inList = true
	case whole && r.readSectionHead(line):
	case r.inList && whole && (line == "" || strings.HasPrefix(line, "    ")) && len(r.list) < maxTests:
		r.list = append(r.list, line)
	default:
		r.leaveList()
		if r.section != nil {
			r.section.add(line)
		}
	}
}

// readSectionHead reads the line above a failed test's output. Such a line about a test
// that did not fail, or whose output was read already, is itself output.
func (r *Reader) readSectionHead(line string) bool {
	m := matchPrefixed(sectionLine, "---- ", line)
	if m == nil {
		return false
	}
	i, ok := r.index[m[1]]
	if !ok || r.done[m[1]] || r.block.Results[i].Status != Failed {
		return false
	}
	r.leaveList()
	r.endSection()
	r.done[m[1]] = true
	r.section = &section{test: m[1]}
	return true
}

// leaveList returns what looked like the list of failed tests to the section.
func (r *Reader) leaveList() {
	if r.inList && r.section != nil {
		r.section.add("failures:")
		for _, line := range r.list {
			r.section.add(line)
		}
	}
	r.list, r.inList = nil, false
}

func (r *Reader) endSection() {
	if r.section == nil {
		return
	}
	r.cfg.Section(r.section.end())
	r.section = nil
}

func readNames(lines []string) []string {
	var names []string
	for _, line := range lines {
		if name := strings.TrimPrefix(line, "    "); name != "" {
			names = append(names, name)
		}
	}
	return names
}
