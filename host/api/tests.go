package api

// TestsSchema is the value of [TestList.Schema].
const TestsSchema = "proctor.tests/v1"

// TestList lists tests that exist, as far as they can be known without running
// any. It is a page: the totals count all that were found.
type TestList struct {
	Schema    string `json:"schema"`
	Language  string `json:"language"`
	Plugin    Plugin `json:"plugin"`
	Workspace string `json:"workspace"`
	// Selection is what was asked for. Its Configured are settings of the project
	// that leave tests out.
	Selection Selection `json:"selection"`
	// Suites are those of the page, by name, as are their tests. A suite may go on
	// in the next page. Suites without tests are left out.
	Suites []ListedSuite `json:"suites"`
	// Total counts the tests that were found, OnRequest those of them that only run
	// when they are asked for, SuitesTotal their suites.
	Total       int `json:"total"`
	OnRequest   int `json:"on_request"`
	SuitesTotal int `json:"suites_total"`
	// Complete reports whether there are no others. Errors say why that is not known,
	// in the words of the plugin.
	Complete bool     `json:"complete"`
	Errors   []string `json:"errors,omitempty"`
	// NextCursor asks for the next page; empty where this is the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// Warnings are what a reader should know beside the list.
	Warnings []Note `json:"warnings,omitempty"`
}

// Shown counts the tests of the page.
func (l TestList) Shown() int {
	n := 0
	for _, s := range l.Suites {
		n += len(s.Tests)
	}
	return n
}

// ListedSuite is a suite and its tests.
type ListedSuite struct {
	Suite string       `json:"suite"`
	Tests []ListedTest `json:"tests"`
}

// ListedTest is a test that exists.
type ListedTest struct {
	Test string `json:"test"`
	// File and Line are where it is declared, where that is known.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// OnRequest reports whether it only runs when it is asked for, as benchmarks.
	OnRequest bool `json:"on_request,omitempty"`
}
