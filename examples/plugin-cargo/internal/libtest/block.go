package libtest

import "fmt"

// Status is how a test ended.
type Status int

// The ends of a test.
const (
	Passed Status = iota + 1
	Failed
	Ignored
)

// Result is the end of one test.
type Result struct {
	Name   string
	Status Status
	// Reason is why a test is ignored, where its attribute says so.
	Reason string
	// Doubtful: a pass that stands behind other text on its line.
	Doubtful bool
}

// Counts are those of the line "test result:".
type Counts struct{ Passed, Failed, Ignored, Measured int }

// Block is what one test binary reported. rustdoc prints two of them where doc
// tests can only partly be compiled together.
type Block struct {
	// Announced is the number of tests in the line "running N tests".
	Announced int
	// Results are in the order in which they were printed, each test once.
	Results []Result
	// Ended: there was a line "test result:", and OK is what it said.
	Ended, OK bool
	Counts    Counts
	// Pending is a test whose end was not seen, and whose beginning was.
	Pending string
	// Slow are tests that libtest called slow and that did not end.
	Slow []string
	// Dropped reports whether there were more tests than are kept.
	Dropped bool
}

// Settle decides which of the lines that say that a test passed are libtest's:
// tests print such lines too. exists reports whether the sources declare a test;
// what macros make is not known there. It returns the block with what was
// decided, and what does not add up whatever is decided; then no pass is sure.
func (b Block) Settle(exists func(test string) bool) (Block, string) {
	if !b.Ended {
		return b, "" // there are no counts
	}
	declared := func(r Result) bool { return exists(r.Name) }
	all := func(Result) bool { return true }
	for _, choose := range []func(Result) bool{declared, all} {
		if settled := b.only(choose); settled.mismatch() == "" {
			return settled, ""
		}
	}
	// Without those in doubt the counts may agree: a whole line that a test printed
	// then stands for the one that is in doubt. So that is no choice.
	why := b.mismatch()
	return b.only(func(r Result) bool { return !r.Doubtful }), why
}

// only leaves out passes that are not chosen.
func (b Block) only(choose func(Result) bool) Block {
	var kept []Result
	for _, r := range b.Results {
		if r.Status != Passed || choose(r) {
			kept = append(kept, r)
		}
	}
	b.Results = kept
	return b
}

// mismatch says what does not add up; empty when everything does.
func (b Block) mismatch() string {
	var seen Counts
	for _, r := range b.Results {
		switch r.Status {
		case Passed:
			seen.Passed++
		case Failed:
			seen.Failed++
		case Ignored:
			seen.Ignored++
		}
	}
	said := b.Counts
	said.Passed += said.Measured // a benchmark's line reads as that of a passed test
	said.Measured = 0
	total := said.Passed + said.Failed + said.Ignored
	switch {
	case b.Dropped:
		return fmt.Sprintf("more than %d tests in one binary: not all of them were kept", maxTests)
	case seen != said:
		return fmt.Sprintf("libtest counts %d passed, %d failed and %d ignored tests, and its lines name %d, %d and %d",
			said.Passed, said.Failed, said.Ignored, seen.Passed, seen.Failed, seen.Ignored)
	case b.Announced != total:
		return fmt.Sprintf("libtest announced %d tests and counts the ends of %d", b.Announced, total)
	case b.OK != (said.Failed == 0):
		return "libtest's verdict contradicts its count of failed tests"
	}
	return ""
}
