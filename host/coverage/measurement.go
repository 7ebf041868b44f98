package coverage

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// The bounds of what is kept of one suite. A test that looked at more files counts as
// depending on more than is known.
const (
	maxSuiteTests = 100_000
	maxReads      = 10_000
)

// Measurement is what a plugin measured of a suite, and what was known of it then.
type Measurement struct {
	Language, Setting string
	At                time.Time
	Reported          sdk.SuiteCoverage
	// Opaque, Inputs, Built and Patterns are as in [Suite]. What a test looked at that
	// is not in Inputs did not exist.
	Opaque   string
	Inputs   map[string]string
	Built    map[string]bool
	Patterns []string
	// Sources are the sheets of source files by path, without blocks: those of measured
	// files, and of others that it may have been built from. They are shared and not
	// modified.
	Sources map[string]*Sheet
}

// inconsistent reports that a plugin's measurement contradicts itself.
func inconsistent(suite, reason string) error {
	return fmt.Errorf("the coverage reported for %s is inconsistent: %s", suite, reason)
}

// NewSuite makes a suite of a measurement. If a test was reported twice, the first
// report counts. A measured file without known source gets a sheet without lines and
// units, in which nothing can be found after an edit.
func NewSuite(m Measurement) (*Suite, error) {
	r := m.Reported
	s := &Suite{
		Language: m.Language, Suite: r.Suite, Setting: m.Setting, MeasuredAt: m.At, Cut: r.Cut, Why: r.Why,
		Opaque: m.Opaque, Inputs: m.Inputs, Built: m.Built, Patterns: m.Patterns,
	}
	switch r.Granularity {
	case sdk.CoveragePerTest:
		s.Granularity = api.GranularityTest
	case sdk.CoveragePerSuite:
		s.Granularity = api.GranularitySuite
	default:
		return nil, inconsistent(r.Suite, "its granularity is missing")
	}
	if path := s.addSheets(r.Files, m.Sources); path != "" {
		return nil, inconsistent(r.Suite, fmt.Sprintf("file %q is reported twice", path))
	}
	s.Whole, s.StartUp = r.Whole, r.StartUp
	if s.Granularity == api.GranularityTest {
		// In a suite measured as a whole, some tests may have run alone; they do not
		// show who executes what.
		seen := map[string]bool{}
		for _, t := range r.Tests {
			if !seen[t.Name] && t.Name != "" {
				s.Tests = append(s.Tests, newTest(t))
			}
			seen[t.Name] = true
		}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	s.markAsking()
	for i := range s.Tests {
		s.Tests[i].Blocks = subtractBlocks(s.Tests[i].Blocks, s.StartUp)
	}
	return s, nil
}

// markAsking marks the tests that execute code which asks whether it is being measured:
// unmeasured, they may execute something else. If any test of the suite may, the suite is
// known only as a whole.
func (s *Suite) markAsking() {
	first := 0
	for _, sheet := range s.Sheets {
		for _, unit := range sheet.Units {
			if unit.Measuring {
				s.markUnit(sheet, first, unit)
			}
		}
		first += len(sheet.Blocks)
	}
	if s.Partial != "" && s.Granularity == api.GranularityTest {
		s.Granularity, s.Why, s.Tests = api.GranularitySuite, s.Partial, nil
	}
}

// markUnit marks the tests that execute a unit that asks, or all if they are unknown.
func (s *Suite) markUnit(sheet *Sheet, first int, unit sdk.SourceUnit) {
	why := fmt.Sprintf("%s asks whether it is being measured (%s)", unit.Name, sheet.Path)
	found := false
	for i, b := range sheet.Blocks {
		if unit.Kind != sdk.UnitBody || b.EndLine < unit.StartLine || b.StartLine > unit.EndLine {
			continue
		}
		found = true
		alone := false
		for j := range s.Tests {
			if t := &s.Tests[j]; t.Blocks.Has(first + i) {
				t.Partial, alone = cmp.Or(t.Partial, "it executes "+why), true
			}
		}
		if s.StartUp.Has(first+i) || s.Whole.Has(first+i) && !alone {
			s.Partial = cmp.Or(s.Partial, why)
		}
	}
	switch {
	case unit.Kind == sdk.UnitTest && s.Granularity == api.GranularityTest:
		for j := range s.Tests {
			if t := &s.Tests[j]; t.Name == unit.Test {
				t.Partial = cmp.Or(t.Partial, "it asks whether it is being measured ("+sheet.Path+")")
			}
		}
	case !found:
		s.Partial = cmp.Or(s.Partial, why)
	}
}

// addSheets adds a sheet for each measured file, in order, then for the other sources.
// It returns the path of a duplicate file.
func (s *Suite) addSheets(files []sdk.CoveredFile, sources map[string]*Sheet) (twice string) {
	covered := map[string]bool{}
	for _, f := range files {
		if covered[f.File] {
			return f.File
		}
		covered[f.File] = true
		sheet := &Sheet{Path: f.File}
		if source := sources[f.File]; source != nil {
			*sheet = *source
		}
		sheet.Blocks = f.Blocks
		s.Sheets = append(s.Sheets, sheet)
	}
	for _, path := range slices.Sorted(maps.Keys(sources)) {
		if s.Built[path] && !covered[path] {
			s.Sheets = append(s.Sheets, sources[path])
		}
	}
	return ""
}

// Check checks that the numbers of a suite are consistent, as its users assume.
func (s *Suite) Check() error {
	blocks, reason := 0, ""
	for _, sheet := range s.Sheets {
		blocks += len(sheet.Blocks)
		for _, b := range sheet.Blocks {
			if b.StartLine < 1 || b.EndLine < b.StartLine || min(b.Statements, b.StartColumn, b.EndColumn) < 0 || max(b.EndLine, b.Statements, b.StartColumn, b.EndColumn) > math.MaxInt32 {
				reason = fmt.Sprintf("%s has a block from line %d to %d", sheet.Path, b.StartLine, b.EndLine)
			}
		}
	}
	switch {
	case reason != "":
	case blocks > sdk.MaxBlocks:
		reason = fmt.Sprintf("it has %d blocks", blocks)
	case len(s.Tests) > maxSuiteTests:
		reason = fmt.Sprintf("it has %d tests", len(s.Tests))
	case tooLong(s.Whole, blocks) || tooLong(s.StartUp, blocks):
		reason = fmt.Sprintf("it has blocks beyond the last of %d", blocks)
	default:
		for _, t := range s.Tests {
			if tooLong(t.Blocks, blocks) {
				reason = fmt.Sprintf("%s has blocks beyond the last of %d", t.Name, blocks)
			}
		}
	}
	if reason == "" {
		return nil
	}
	return inconsistent(s.Suite, reason)
}

func newTest(t sdk.TestCoverage) Test {
	test := Test{
		Name: t.Name, Blocks: t.Blocks, Reads: slices.Compact(slices.Sorted(slices.Values(t.Reads))), Opaque: t.Opaque, Partial: t.Partial,
		Alone: t.Alone, Together: t.Together, DurationS: t.Elapsed.Seconds(),
	}
	if len(test.Reads) > maxReads {
		test.Reads = test.Reads[:maxReads]
		if test.Opaque == "" {
			test.Opaque = fmt.Sprintf("it looked at more than %d files", maxReads)
		}
	}
	return test
}

// Findings returns the tests of a suite that end differently alone than together, in
// order.
func Findings(s *Suite) []api.OrderFinding {
	var found []api.OrderFinding
	for _, t := range s.Tests {
		if t.Alone != "" && t.Together != "" && t.Alone != t.Together {
			found = append(found, api.OrderFinding{Suite: s.Suite, Test: t.Name, Alone: t.Alone, Together: t.Together})
		}
	}
	return found
}

// Partial returns the tests of a suite that were measured only in part, in order.
func Partial(s *Suite) []api.PartialTest {
	var partial []api.PartialTest
	for _, t := range s.Tests {
		if t.Partial != "" {
			partial = append(partial, api.PartialTest{Suite: s.Suite, Test: t.Name, Why: t.Partial})
		}
	}
	return partial
}
