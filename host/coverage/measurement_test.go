package coverage_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// set builds a set of blocks.
func set(blocks ...int) sdk.BlockSet {
	var s sdk.BlockSet
	for _, n := range blocks {
		s = s.Add(n)
	}
	return s
}

// measured is a measurement of two files with two blocks each.
func measured() coverage.Measurement {
	block := func(first, last int) sdk.Block {
		return sdk.Block{StartLine: first, StartColumn: 1, EndLine: last, EndColumn: 2, Statements: 1}
	}
	return coverage.Measurement{
		Language: "go", Setting: "x", At: time.Unix(1_800_000_000, 0).UTC(), Opaque: "it uses C",
		Inputs:   map[string]string{"a.go": "1", "b.go": "2", "b_test.go": "3", "testdata/x": "4"},
		Built:    map[string]bool{"a.go": true, "b.go": true, "b_test.go": true},
		Patterns: []string{"*.go"},
		Sources: map[string]*coverage.Sheet{
			"a.go":      {Path: "a.go", Digest: "1", Lines: []uint32{1, 2, 3}, Units: []sdk.SourceUnit{{Name: "F", Kind: sdk.UnitBody, StartLine: 1, EndLine: 3, Digest: "f"}}},
			"b_test.go": {Path: "b_test.go", Digest: "3", Lines: []uint32{4}},
			"other.go":  {Path: "other.go", Digest: "5"},
		},
		Reported: sdk.SuiteCoverage{
			Suite: "s", Granularity: sdk.CoveragePerTest, Cut: true, Why: "why",
			Files: []sdk.CoveredFile{{File: "b.go", Blocks: []sdk.Block{block(1, 2), block(3, 4)}}, {File: "a.go", Blocks: []sdk.Block{block(1, 1), block(2, 3)}}},
			Whole: set(0, 1, 2), StartUp: set(2),
			Tests: []sdk.TestCoverage{
				{Name: "TestA", Blocks: set(0, 2), Alone: sdk.Failed, Together: sdk.Passed, Elapsed: time.Second, Reads: []string{"testdata/x", "testdata", "testdata/x"}},
				{Name: "TestA", Blocks: set(3)},
				{Name: "TestB", Alone: sdk.Skipped, Together: sdk.Passed, Opaque: "it starts another program: go"},
				{Name: "TestC", Together: sdk.Failed},
				{Name: "TestD", Alone: sdk.Unfinished, Together: sdk.Unfinished},
			},
		},
	}
}

func TestASuiteIsWhatWasMeasured(t *testing.T) {
	m := measured()
	s, err := coverage.NewSuite(m)
	if err != nil {
		t.Fatal(err)
	}
	if s.Language != "go" || s.Suite != "s" || s.Setting != "x" || !s.MeasuredAt.Equal(m.At) || s.Granularity != api.GranularityTest ||
		s.Why != "why" || !s.Cut || s.Opaque != "it uses C" || len(s.Inputs) != 4 || len(s.Built) != 3 || len(s.Patterns) != 1 {
		t.Errorf("%+v", s)
	}
	var paths []string
	for _, sheet := range s.Sheets {
		paths = append(paths, sheet.Path)
	}
	if want := []string{"b.go", "a.go", "b_test.go"}; !slices.Equal(paths, want) {
		t.Fatalf("sheets %q, want %q", paths, want)
	}
	if s.Sheets[0].Lines != nil || len(s.Sheets[0].Blocks) != 2 || len(s.Sheets[1].Units) != 1 || len(s.Sheets[1].Blocks) != 2 || len(s.Sheets[2].Blocks) != 0 {
		t.Errorf("%+v, %+v", s.Sheets[0], s.Sheets[1])
	}
	if m.Sources["a.go"].Blocks != nil {
		t.Error("a source that others share was changed")
	}
	names := []string{}
	for _, test := range s.Tests {
		names = append(names, test.Name)
	}
	if !slices.Equal(names, []string{"TestA", "TestB", "TestC", "TestD"}) {
		t.Errorf("tests %q", names)
	}
	if a := s.Tests[0]; a.Blocks.Has(2) || !a.Blocks.Has(0) || a.Blocks.Has(3) || !slices.Equal(a.Reads, []string{"testdata", "testdata/x"}) || a.DurationS != 1 {
		t.Errorf("%+v", a)
	}
}

func TestATestThatEndsDifferentlyAloneIsAFinding(t *testing.T) {
	s, err := coverage.NewSuite(measured())
	if err != nil {
		t.Fatal(err)
	}
	want := []api.OrderFinding{
		{Suite: "s", Test: "TestA", Alone: sdk.Failed, Together: sdk.Passed},
		{Suite: "s", Test: "TestB", Alone: sdk.Skipped, Together: sdk.Passed},
	}
	if got := coverage.Findings(s); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestTestsOfASuiteThatWasMeasuredAsAWholeAreNotKept(t *testing.T) {
	m := measured()
	m.Reported.Granularity = sdk.CoveragePerSuite
	s, err := coverage.NewSuite(m)
	if err != nil || s.Granularity != api.GranularitySuite || len(s.Tests) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAnInconsistentMeasurementIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*sdk.SuiteCoverage){
		"nothing was measured":    func(r *sdk.SuiteCoverage) { r.Granularity = sdk.CoverageNone },
		"no granularity":          func(r *sdk.SuiteCoverage) { r.Granularity = 0 },
		"a file twice":            func(r *sdk.SuiteCoverage) { r.Files = append(r.Files, r.Files[0]) },
		"a block without lines":   func(r *sdk.SuiteCoverage) { r.Files[0].Blocks[0].StartLine = 0 },
		"a block that ends first": func(r *sdk.SuiteCoverage) { r.Files[0].Blocks[1].EndLine = 2 },
		"a whole of more":         func(r *sdk.SuiteCoverage) { r.Whole = set(4) },
		"a start of more":         func(r *sdk.SuiteCoverage) { r.StartUp = set(800) },
		"a test of more":          func(r *sdk.SuiteCoverage) { r.Tests[2].Blocks = set(7) },
	} {
		m := measured()
		spoil(&m.Reported)
		if s, err := coverage.NewSuite(m); err == nil || !strings.Contains(err.Error(), "reported for s is inconsistent: ") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestATestThatLooksAtEverythingIsOpaque(t *testing.T) {
	m := measured()
	all := map[string]bool{}
	for i := range 10_001 {
		all[string(rune('a'+i%26))+string(rune(0x4e00+i))] = true
	}
	m.Reported.Tests[0].Reads = slices.Collect(maps.Keys(all))
	s, err := coverage.NewSuite(m)
	if err != nil || len(s.Tests[0].Reads) != 10_000 || s.Tests[0].Opaque == "" {
		t.Errorf("%d files, %q, %v", len(s.Tests[0].Reads), s.Tests[0].Opaque, err)
	}
}

func TestATestOfCodeThatDetectsCoverageIsMeasuredInPart(t *testing.T) {
	for name, c := range map[string]struct {
		unit sdk.SourceUnit
		// partial are the tests measured in part; "" is the suite.
		partial []string
	}{
		"a function that one test executes":         {sdk.SourceUnit{Name: "F", Kind: sdk.UnitBody, StartLine: 1, EndLine: 1}, []string{"TestA"}},
		"a function that no test executes":          {sdk.SourceUnit{Name: "F", Kind: sdk.UnitBody, StartLine: 4, EndLine: 4}, nil},
		"a function that the start executes":        {sdk.SourceUnit{Name: "F", Kind: sdk.UnitBody, StartLine: 6, EndLine: 6}, []string{""}},
		"a function that was not measured":          {sdk.SourceUnit{Name: "F", Kind: sdk.UnitBody, StartLine: 9, EndLine: 9}, []string{""}},
		"a function that only all together execute": {sdk.SourceUnit{Name: "F", Kind: sdk.UnitBody, StartLine: 3, EndLine: 3}, []string{""}},
		"a test":                  {sdk.SourceUnit{Name: "TestB", Kind: sdk.UnitTest, Test: "TestB", StartLine: 1, EndLine: 1}, []string{"TestB"}},
		"what tests are built of": {sdk.SourceUnit{Name: "helper", Kind: sdk.UnitDeclaration, StartLine: 1, EndLine: 1}, []string{""}},
	} {
		m := measured()
		c.unit.Measuring = true
		lines := sdk.CoveredFile{File: "a.go"}
		for n := range 4 {
			line := 3*(n/2) + n%2*2 + 1 // 1, 3, 4, 6
			lines.Blocks = append(lines.Blocks, sdk.Block{StartLine: line, EndLine: line})
		}
		m.Reported.Files, m.Reported.Whole, m.Reported.StartUp = []sdk.CoveredFile{lines}, set(0, 1, 3), set(3)
		m.Reported.Tests = []sdk.TestCoverage{{Name: "TestA", Blocks: set(0, 3), Alone: sdk.Passed}, {Name: "TestB", Alone: sdk.Passed}}
		m.Sources["a.go"].Units = []sdk.SourceUnit{c.unit}
		s, err := coverage.NewSuite(m)
		if err != nil {
			t.Fatal(err)
		}
		var partial []string
		for _, p := range coverage.Partial(s) {
			partial = append(partial, p.Test)
		}
		if s.Partial != "" {
			partial = append(partial, "")
		}
		if !slices.Equal(partial, c.partial) || (s.Granularity == api.GranularityTest) != (s.Partial == "") {
			t.Errorf("%s: %q of granularity %s are known in part, want %q", name, partial, s.Granularity, c.partial)
		}
	}
}
