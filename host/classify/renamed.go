package classify

import (
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// Declared is a listed test and what is known of its declaration.
type Declared struct {
	sdk.TestID
	File string
	Line int
	// Body is a digest of its body.
	Body string
}

// Renames finds the new names of tests that are gone, and maps old to new tests of
// their suites: one with the same body, or else one at the same place. It skips
// ambiguous cases.
func Renames(gone, come []Declared) map[sdk.TestID]sdk.TestID {
	renamed, taken := map[sdk.TestID]sdk.TestID{}, map[sdk.TestID]bool{}
	for _, trait := range []func(Declared) (Declared, bool){bodyOf, placeOf} {
		old, new := uniqueBy(gone, trait), uniqueBy(come, trait)
		for key, was := range old {
			is, ok := new[key]
			if _, done := renamed[was]; !ok || done || taken[is] || is == (sdk.TestID{}) || was == (sdk.TestID{}) {
				continue
			}
			renamed[was], taken[is] = is, true
		}
	}
	return renamed
}

// Placed returns tests without the lines that they share with others among all tests:
// such a line does not identify a test.
func Placed(tests, all []Declared) []Declared {
	type line struct {
		file string
		line int
	}
	on := map[line]int{}
	for _, t := range all {
		on[line{t.File, t.Line}]++
	}
	placed := slices.Clone(tests)
	for i, t := range placed {
		if on[line{t.File, t.Line}] > 1 {
			placed[i].Line = 0
		}
	}
	return placed
}

// bodyOf identifies a test by its body alone.
func bodyOf(d Declared) (Declared, bool) {
	return Declared{TestID: sdk.TestID{Suite: d.Suite}, Body: d.Body}, d.Body != ""
}

// placeOf identifies a test by its place alone.
func placeOf(d Declared) (Declared, bool) {
	return Declared{TestID: sdk.TestID{Suite: d.Suite}, File: d.File, Line: d.Line}, d.File != "" && d.Line > 0
}

// uniqueBy maps traits to the tests that alone have them.
func uniqueBy(tests []Declared, trait func(Declared) (Declared, bool)) map[Declared]sdk.TestID {
	found := map[Declared]sdk.TestID{}
	for _, t := range tests {
		key, ok := trait(t)
		if !ok {
			continue
		}
		if _, twice := found[key]; twice {
			found[key] = sdk.TestID{}
			continue
		}
		found[key] = t.TestID
	}
	return found
}
