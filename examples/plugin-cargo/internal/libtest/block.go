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
	// Reason is why a test is ignored, if its attribute says so.
	Reason string
	// Doubtful marks a pass that follows other text on its line.
	Doubtful bool
}

// Counts are those of the line "test result:".
type Counts struct{ Passed, Failed, Ignored, Measured int }

// Block is what one test binary reported. rustdoc prints two if doc tests can only
// partly be compiled together.
type Block struct {
	// Announced is the number of tests in the line "running N tests".
	Announced int
	// Results are in printed order, each test once.
	Results []Result
	// Ended reports whether there was a line "test result:", and OK is what it said.
	Ended, OK bool
	Counts    Counts
	// Pending is a test that began and whose end was not seen.
	Pending string
	// Slow are tests that libtest called slow and that did not end.
	Slow []string
	// Dropped reports whether there were too many tests to keep.
	Dropped bool
}

// Settle decides which of the lines that report a pass are libtest's: tests may print such
// lines, too. exists reports whether the sources declare a test; macros may generate
// others. It returns the decided block, and what does not add up whatever is chosen; then
// no pass is certain.
func (b Block) Settle(exists func(test string) bool) (Block, string) {
	if !b.Ended {
		return b, "" // there are no counts
	}
	declared := func(r Result) bool { return exists(r.Name) }
	everything := func(Result) bool { return true }
	for _, choose := range []func(Result) bool{declared, everything} {
		if settled := b.keepPasses(choose); settled.findMismatch() == "" {
			return settled, ""
		}
	}
	// Dropping the doubtful ones may make the counts agree by accident, if a test printed
	// a whole line in place of one, so that proves nothing.
	why := b.findMismatch()
	return b.keepPasses(func(r Result) bool { return !r.Doubtful }), why
}

// keepPasses returns the block without the passes that are not chosen.
func (b Block) keepPasses(choose func(Result) bool) Block {
	var kept []Result
	for _, r := range b.Results {
		if r.Status != Passed || choose(r) {
			kept = append(kept, r)
		}
	}
	b.Results = kept
	return b
}

// findMismatch returns what does not add up, or "" if everything does.
func (b Block) findMismatch() string {
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
		return fmt.Sprintf("libtest counts %d passed, %d failed and %d ignored tests, but its lines name %d, %d and %d",
			said.Passed, said.Failed, said.Ignored, seen.Passed, seen.Failed, seen.Ignored)
	case b.Announced != total:
		return fmt.Sprintf("libtest announced %d tests, but counts %d at the end", b.Announced, total)
	case b.OK != (said.Failed == 0):
		return "libtest's verdict contradicts its count of failed tests"
	}
	return ""
}
