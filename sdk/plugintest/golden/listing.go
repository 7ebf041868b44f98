package golden

import (
	"cmp"

	"github.com/proctorhq/proctor/sdk"
)

// Listing collects what a list parser reports. It is an sdk.ListSink.
type Listing struct {
	// Suites holds each suite once, however many pieces it came in.
	Suites []sdk.ListedSuite
	// Parts holds each part of the sources once, likewise.
	Parts  []sdk.ListedPart
	Errors []string
}

// Suite adds a suite, or another piece of one.
func (l *Listing) Suite(s sdk.ListedSuite) {
	for i := range l.Suites {
		if l.Suites[i].Suite == s.Suite {
			l.Suites[i].Tests = append(l.Suites[i].Tests, s.Tests...)
			l.Suites[i].Needs = append(l.Suites[i].Needs, s.Needs...)
			l.Suites[i].Opaque = cmp.Or(l.Suites[i].Opaque, s.Opaque)
			l.Suites[i].Sealed = l.Suites[i].Sealed || s.Sealed
			l.Suites[i].Incomplete = cmp.Or(l.Suites[i].Incomplete, s.Incomplete)
			return
		}
	}
	l.Suites = append(l.Suites, s)
}

// Part adds a part, or another piece of one.
func (l *Listing) Part(p sdk.ListedPart) {
	for i := range l.Parts {
		if has := &l.Parts[i]; has.Name == p.Name {
			has.Files = append(has.Files, p.Files...)
			has.Patterns = append(has.Patterns, p.Patterns...)
			has.Needs = append(has.Needs, p.Needs...)
			return
		}
	}
	l.Parts = append(l.Parts, p)
}

func (l *Listing) Error(text string) { l.Errors = append(l.Errors, text) }
