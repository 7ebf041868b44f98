package api

// TestsSchema is the value of [TestList.Schema].
const TestsSchema = "proctor.tests/v1"

// TestList lists the existing tests, as far as they can be known without running any.
// It is a page: the totals count everything found.
type TestList struct {
	Schema   string `json:"schema"`
	Language string `json:"language"`
	// SuiteNoun is what the language's users call a suite.
	SuiteNoun string `json:"-"`
	Plugin    Plugin `json:"plugin"`
	Workspace string `json:"workspace"`
	// Selection is what was requested.
	Selection Selection `json:"selection"`
	// Suites are those of the page, sorted by name like their tests. A suite may
	// continue on the next page. Suites without tests are omitted.
	Suites []ListedSuite `json:"suites"`
	// Total counts the tests found, OnRequest those of them that only run on request,
	// SuitesTotal their suites.
	Total       int `json:"total"`
	OnRequest   int `json:"on_request"`
	SuitesTotal int `json:"suites_total"`
	// Complete reports whether there are certainly no other tests. If not, Errors say
	// why, in the plugin's words.
	Complete bool     `json:"complete"`
	Errors   []string `json:"errors,omitempty"`
	// NextCursor requests the next page; empty on the last one.
	NextCursor string `json:"next_cursor,omitempty"`
	// Warnings are further things the reader should know.
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
	// File and Line are where it is declared, if known.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// OnRequest reports whether it only runs on request, like a benchmark.
	OnRequest bool `json:"on_request,omitempty"`
}
