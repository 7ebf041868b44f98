package shard

import "github.com/proctorhq/proctor/sdk"

// Listing collects the suites that a plugin lists. The zero value is ready for use.
type Listing struct {
	Suites []Suite
	// Errors are what could not be listed, and Incomplete why not all tests of some suites
	// are; both bounded, for the reason of a run.
	Errors, Incomplete []string

	at map[string]int
}

// maxReasons is how many errors of a listing the reason of a run names.
const maxReasons = 5

// Suite adds a suite, or tests of one.
func (l *Listing) Suite(listed sdk.ListedSuite) {
	i, ok := l.at[listed.Suite]
	if !ok {
		if l.at == nil {
			l.at = map[string]int{}
		}
		i = len(l.Suites)
		l.at[listed.Suite] = i
		l.Suites = append(l.Suites, Suite{Name: listed.Suite})
	}
	if listed.Incomplete != "" {
		l.Suites[i].Whole = true
		if len(l.Incomplete) < maxReasons {
			l.Incomplete = append(l.Incomplete, listed.Incomplete)
		}
	}
	for _, t := range listed.Tests {
		if !t.OnRequest {
			l.Suites[i].Tests = append(l.Suites[i].Tests, t.Name)
		}
	}
}

// Part adds nothing: parts of tests run with their test.
func (l *Listing) Part(sdk.ListedPart) {}

// Error adds an error.
func (l *Listing) Error(text string) {
	if len(l.Errors) < maxReasons {
		l.Errors = append(l.Errors, text)
	}
}
