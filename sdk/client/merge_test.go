package client

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// coverage records the delivered coverage.
type coverage struct {
	suites  []sdk.SuiteCoverage
	errors  []string
	arrived int
}

func (c *coverage) Suite(s sdk.SuiteCoverage) { c.suites = append(c.suites, s) }
func (c *coverage) Error(text string)         { c.errors = append(c.errors, text) }
func (c *coverage) Arrived()                  { c.arrived++ }

func newPart(suite string, last bool, tests ...string) *pb.SuiteCoverage {
	m := &pb.SuiteCoverage{Suite: suite, Last: last}
	for _, name := range tests {
		m.Tests = append(m.Tests, &pb.TestCoverage{Name: name})
	}
	return m
}

func TestASuiteIsDeliveredAfterItsLastPart(t *testing.T) {
	for name, c := range map[string]struct {
		parts  []*pb.SuiteCoverage
		want   []string
		errors []string
	}{
		"nothing":             {},
		"one part":            {parts: []*pb.SuiteCoverage{newPart("a", true, "1")}, want: []string{"a[1]"}},
		"several":             {parts: []*pb.SuiteCoverage{newPart("a", false, "1"), newPart("a", false, "2"), newPart("a", true)}, want: []string{"a[1 2]"}},
		"two suites":          {parts: []*pb.SuiteCoverage{newPart("a", false, "1"), newPart("a", true, "2"), newPart("b", true)}, want: []string{"a[1 2]", "b[]"}},
		"the last is missing": {parts: []*pb.SuiteCoverage{newPart("a", true, "1"), newPart("b", false, "2")}, want: []string{"a[1]"}, errors: []string{"what was measured of b did not arrive in full"}},
		"another one begins":  {parts: []*pb.SuiteCoverage{newPart("a", false, "1"), newPart("b", true, "2")}, want: []string{"b[2]"}, errors: []string{"what was measured of a did not arrive in full"}},
		"mixed up": {
			parts: []*pb.SuiteCoverage{newPart("a", false, "1"), newPart("b", true, "2"), newPart("a", true, "3")},
			want:  []string{"b[2]"}, errors: []string{"what was measured of a did not arrive in full"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			sink := &coverage{}
			m := coverageMerger{sink: sink, limit: maxWhole}
			for _, p := range c.parts {
				if err := m.add(p); err != nil {
					t.Fatal(err)
				}
			}
			m.giveUp()
			var got []string
			for _, s := range sink.suites {
				var tests []string
				for _, test := range s.Tests {
					tests = append(tests, test.Name)
				}
				got = append(got, fmt.Sprint(s.Suite, tests))
			}
			if !slices.Equal(got, c.want) || !slices.Equal(sink.errors, c.errors) {
				t.Errorf("got %q and the errors %q", got, sink.errors)
			}
		})
	}
}

func TestTheSetsOfPartsAddUp(t *testing.T) {
	sink := &coverage{}
	m := coverageMerger{sink: sink, limit: maxWhole}
	block := []*pb.Block{{StartLine: 1, EndLine: 2}}
	for _, p := range []*pb.SuiteCoverage{
		{Suite: "a", Whole: []byte{1}, StartUp: []byte{0, 1}, Files: []*pb.CoveredFile{{File: "f", Blocks: block}}},
		{Suite: "a", Whole: []byte{2, 4}, StartUp: []byte{1}, Files: []*pb.CoveredFile{{File: "f", Blocks: block}, {File: "g", Blocks: block}}},
		{Suite: "a", Last: true, Granularity: pb.CoverageGranularity_COVERAGE_GRANULARITY_SUITE, Why: "why", Cut: true},
	} {
		if err := m.add(p); err != nil {
			t.Fatal(err)
		}
	}
	b := sdk.Block{StartLine: 1, EndLine: 2}
	want := []sdk.SuiteCoverage{{
		Suite: "a", Granularity: sdk.CoveragePerSuite, Why: "why", Cut: true, Whole: sdk.BlockSet{3, 4}, StartUp: sdk.BlockSet{1, 1},
		Files: []sdk.CoveredFile{{File: "f", Blocks: []sdk.Block{b, b}}, {File: "g", Blocks: []sdk.Block{b}}},
	}}
	if diff := cmp.Diff(want, sink.suites, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownValuesOfCoverageClaimTheLeast(t *testing.T) {
	sink := &coverage{}
	m := coverageMerger{sink: sink, limit: maxWhole}
	for _, p := range []*pb.SuiteCoverage{
		{Suite: "a", Last: true},
		{Suite: "b", Last: true, Granularity: 99},
		{Suite: "c", Last: true, Granularity: -1, Tests: []*pb.TestCoverage{{Name: "t", Alone: 99, Together: -1, ElapsedNanos: -1}}},
	} {
		if err := m.add(p); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range sink.suites {
		if s.Granularity != sdk.CoverageNone {
			t.Errorf("%s: granularity %d", s.Suite, s.Granularity)
		}
	}
	if test := sink.suites[2].Tests[0]; test.Alone != "" || test.Together != "" || test.Elapsed != 0 || len(sink.errors) != 2 {
		t.Errorf("got %+v and the errors %q", test, sink.errors)
	}
	for kind, want := range map[pb.UnitKind]sdk.UnitKind{
		0: sdk.UnitDeclaration, 99: sdk.UnitDeclaration, -1: sdk.UnitDeclaration, pb.UnitKind_UNIT_KIND_BODY: sdk.UnitBody, pb.UnitKind_UNIT_KIND_TEST: sdk.UnitTest,
	} {
		if got := codec.DecodeUnit(&pb.SourceUnit{Kind: kind}).Kind; got != want {
			t.Errorf("kind %d became %d", kind, got)
		}
	}
}

// outlines records the delivered outlines.
type outlines []sdk.OutlinedFile

func (o *outlines) File(f sdk.OutlinedFile) { *o = append(*o, f) }

func TestAFileIsDeliveredWhenTheNextOneBegins(t *testing.T) {
	var got outlines
	m := outlineMerger{sink: &got, limit: maxWhole}
	unit := []*pb.SourceUnit{{Name: "u"}}
	for i, f := range []*pb.OutlinedFile{{File: "a", Units: unit}, {File: "a", Units: unit}, {File: "b"}, {File: "c"}} {
		if err := m.add(f); err != nil {
			t.Fatal(err)
		}
		if want := []int{0, 0, 1, 2}[i]; len(got) != want {
			t.Errorf("after message %d %d files were delivered", i, len(got))
		}
	}
	m.deliver()
	if len(got) != 3 || len(got[0].Units) != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestAnEndlessReportIsAbandoned(t *testing.T) {
	isTooMuch := func(err error) bool { var e *TooMuchError; return errors.As(err, &e) && e.Limit == 1000 }
	suites := coverageMerger{sink: &coverage{}, limit: 1000}
	files := outlineMerger{sink: &outlines{}, limit: 1000}
	for name, c := range map[string]func() error{
		"blocks": func() error {
			return suites.add(&pb.SuiteCoverage{Files: []*pb.CoveredFile{{Blocks: make([]*pb.Block, 10)}}})
		},
		"files": func() error { return suites.add(&pb.SuiteCoverage{Files: make([]*pb.CoveredFile, 10)}) },
		"tests": func() error { return suites.add(newPart("", false, "1", "2", "3", "4")) },
		"reads": func() error {
			return suites.add(&pb.SuiteCoverage{Tests: []*pb.TestCoverage{{Reads: make([]string, 10)}}})
		},
		"sets": func() error {
			return suites.add(&pb.SuiteCoverage{Whole: make([]byte, 100), StartUp: make([]byte, 100)})
		},
		"units": func() error { return files.add(&pb.OutlinedFile{Units: make([]*pb.SourceUnit, 5)}) },
		"empty messages": func() error {
			return drainStream(func() (*pb.ParseCoverageResponse, error) { return &pb.ParseCoverageResponse{}, nil }, nil, 1000,
				func(*pb.ParseCoverageResponse) error { return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			suites.open, files.open = false, false
			var err error
			for range 100 {
				if err = c(); err != nil {
					break
				}
			}
			if !isTooMuch(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEachMessageIsAnnounced(t *testing.T) {
	sink, n := &coverage{}, 0
	err := drainStream(func() (*pb.ParseCoverageResponse, error) {
		if n++; n > 3 {
			return nil, io.EOF
		}
		return &pb.ParseCoverageResponse{}, nil
	}, sink, maxStream, func(*pb.ParseCoverageResponse) error { return nil })
	if err != nil || sink.arrived != 3 {
		t.Errorf("%d messages, %v", sink.arrived, err)
	}
}
