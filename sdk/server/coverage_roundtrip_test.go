package server_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestAnIndexArrivesAsItWasSent(t *testing.T) {
	g, fine := random{rand.New(rand.NewPCG(7, 8)), time.Millisecond}, random{rand.New(rand.NewPCG(17, 18)), time.Nanosecond}
	var asked sdk.IndexRequest
	var read sdk.CoverageRequest
	var plan sdk.Plan
	var found plugintest.Coverage
	d := plugintest.Start(t, fakeMeasurer{
		indexCmd: func(req sdk.IndexRequest) (sdk.Plan, error) { asked = req; return plan, nil },
		coverage: func(req sdk.CoverageRequest, sink sdk.CoverageSink) error {
			read = req
			for _, suite := range found.Suites {
				sink.Suite(suite)
			}
			for _, text := range found.Errors {
				sink.Error(text)
			}
			return nil
		},
	}, fakeDescription)
	for range rounds {
		plan = sdk.Plan{Commands: randomValues[sdk.Command](g), Warnings: randomValues[string](g)}
		index := randomValue[sdk.IndexRequest](g)
		back, err := d.IndexCmd(t.Context(), index)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, "IndexCmd", index, asked)
		checkSame(t, "the plan of IndexCmd", plan, back)

		found = plugintest.Coverage{Suites: randomValues[sdk.SuiteCoverage](fine), Errors: randomValues[string](g)}
		req := randomValue[sdk.CoverageRequest](g)
		var arrived plugintest.Coverage
		if err := d.ParseCoverage(t.Context(), req, &arrived); err != nil {
			t.Fatal(err)
		}
		checkSame(t, "ParseCoverage", req, read)
		checkSame(t, "the coverage", found, arrived)
	}
}

// largeSuite returns a suite with blocks and tests for hundreds of messages.
func largeSuite(blocks, tests int) sdk.SuiteCoverage {
	c := sdk.SuiteCoverage{Suite: "large", Granularity: sdk.CoveragePerTest}
	for file := range 2 {
		f := sdk.CoveredFile{File: fmt.Sprint("file", file)}
		for i := range blocks / 2 {
			f.Blocks = append(f.Blocks, sdk.Block{StartLine: 1 + i, StartColumn: 1, EndLine: 2 + i, EndColumn: 2, Statements: 3})
		}
		c.Files = append(c.Files, f)
	}
	c.Whole = c.Whole.Add(blocks - 1)
	for i := range tests {
		c.Tests = append(c.Tests, sdk.TestCoverage{Name: fmt.Sprint("Test", i), Blocks: sdk.BlockSet(nil).Add(blocks - 1 - i%blocks).Add(i % blocks), Alone: sdk.Passed})
	}
	return c
}

func TestALargeSuiteArrivesInOnePiece(t *testing.T) {
	sent := []sdk.SuiteCoverage{largeSuite(5000, 1000), largeSuite(200_000, 1000)}
	sent[1].Suite = "larger"
	d := plugintest.Start(t, fakeMeasurer{coverage: func(_ sdk.CoverageRequest, sink sdk.CoverageSink) error {
		for _, suite := range sent {
			sink.Suite(suite)
		}
		return nil
	}}, fakeDescription)
	var arrived plugintest.Coverage
	if err := d.ParseCoverage(t.Context(), sdk.CoverageRequest{}, &arrived); err != nil {
		t.Fatal(err)
	}
	if len(arrived.Suites) != len(sent) || len(arrived.Errors) != 0 {
		t.Fatalf("%d suites arrived, and errors: %q", len(arrived.Suites), arrived.Errors)
	}
	for i := range sent {
		// reflect is used because cmp would examine each byte of each set.
		if !reflect.DeepEqual(sent[i], arrived.Suites[i]) {
			t.Errorf("%s changed on the way", sent[i].Suite)
		}
	}
}

func TestWhatWasMeasuredBeforeAnErrorArrives(t *testing.T) {
	for name, c := range map[string]struct {
		end  func() error
		want func(error) bool
	}{
		"an error": {func() error { return errors.New("cannot be read") }, func(err error) bool { return status.Code(err) == codes.Unknown }},
		"a panic":  {func() error { panic("oops") }, func(err error) bool { var p *sdk.PanicError; return errors.As(err, &p) }},
	} {
		t.Run(name, func(t *testing.T) {
			sent := largeSuite(50, 5)
			d := plugintest.Start(t, fakeMeasurer{coverage: func(_ sdk.CoverageRequest, sink sdk.CoverageSink) error {
				sink.Suite(sent)
				return c.end()
			}}, fakeDescription)
			var arrived plugintest.Coverage
			if err := d.ParseCoverage(t.Context(), sdk.CoverageRequest{}, &arrived); !c.want(err) {
				t.Errorf("got %v", err)
			}
			checkSame(t, "the coverage", plugintest.Coverage{Suites: []sdk.SuiteCoverage{sent}}, arrived)
		})
	}
}

func TestTooMuchCoverageIsNeverDroppedSilently(t *testing.T) {
	many := slices.Repeat([]string{strings.Repeat("p", 8000)}, 200)
	d := plugintest.Start(t, fakeMeasurer{coverage: func(_ sdk.CoverageRequest, sink sdk.CoverageSink) error {
		sink.Suite(sdk.SuiteCoverage{Suite: "many blocks", Files: []sdk.CoveredFile{{File: "f", Blocks: make([]sdk.Block, sdk.MaxBlocks+1)}}})
		sink.Suite(sdk.SuiteCoverage{Suite: "many reads", Granularity: sdk.CoveragePerTest, Tests: []sdk.TestCoverage{{Name: "Test", Reads: many}}})
		return nil
	}}, fakeDescription)
	var arrived plugintest.Coverage
	if err := d.ParseCoverage(t.Context(), sdk.CoverageRequest{}, &arrived); err != nil {
		t.Fatal(err)
	}
	checkSame(t, "the report", plugintest.Coverage{
		Errors: []string{"many blocks: it has 4194305 blocks, but at most 4194304 of a suite can be reported"},
		Suites: []sdk.SuiteCoverage{{Suite: "many reads", Granularity: sdk.CoveragePerTest, Tests: []sdk.TestCoverage{{Name: "Test", Opaque: "it looked at 200 files"}}}},
	}, arrived)
}

func TestOutlinesArriveAsTheyWereSent(t *testing.T) {
	g := random{rand.New(rand.NewPCG(9, 10)), time.Millisecond}
	var asked []sdk.OutlineRequest
	sent := map[string]sdk.OutlinedFile{}
	d := plugintest.Start(t, fakeMeasurer{outline: func(req sdk.OutlineRequest, sink sdk.OutlineSink) error {
		asked = append(asked, req)
		for _, f := range req.Files {
			sink.File(sent[f])
		}
		return nil
	}}, fakeDescription)
	req := sdk.OutlineRequest{Workspace: randomValue[sdk.Workspace](g)}
	var want plugintest.Outlines
	for i := range 5000 { // too many names for one request
		f := sdk.OutlinedFile{File: strings.Repeat("directory/", 100) + fmt.Sprint(i), Units: randomValues[sdk.SourceUnit](g)}
		if i == 77 {
			f.Units = nil
			for range 5000 { // too many for one message
				f.Units = append(f.Units, randomValue[sdk.SourceUnit](g))
			}
		}
		sent[f.File] = f
		req.Files, want.Files = append(req.Files, f.File), append(want.Files, f)
	}
	var arrived plugintest.Outlines
	if err := d.Outline(t.Context(), req, &arrived); err != nil {
		t.Fatal(err)
	}
	checkSame(t, "the outlines", want, arrived)
	var files []string
	for _, a := range asked {
		checkSame(t, "the workspace", req.Workspace, a.Workspace)
		files = append(files, a.Files...)
	}
	checkSame(t, "the request", req.Files, files)
	if len(asked) < 2 {
		t.Errorf("%d requests", len(asked))
	}
}

func TestMeasuringCallsWithoutSupportAreUnimplemented(t *testing.T) {
	d := plugintest.Start(t, fake{}, fakeDescription)
	_, err := d.IndexCmd(t.Context(), sdk.IndexRequest{})
	for name, err := range map[string]error{
		"IndexCmd":      err,
		"ParseCoverage": d.ParseCoverage(t.Context(), sdk.CoverageRequest{}, new(plugintest.Coverage)),
		"Outline":       d.Outline(t.Context(), sdk.OutlineRequest{Files: []string{"f"}}, new(plugintest.Outlines)),
	} {
		if status.Code(err) != codes.Unimplemented {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// halfMeasurer only reads the coverage of runs.
type halfMeasurer struct {
	fake
	sdk.CoverageReader
}

func TestMeasuringCapabilitiesFollowFromWhatIsImplemented(t *testing.T) {
	for _, test := range []struct {
		name                                string
		detector                            sdk.Detector
		says                                bool
		cover, index, dependencies, outline bool
	}{
		{"a plain detector", fake{}, false, false, false, false, false},
		{"one that only says so", fake{}, true, false, false, false, false},
		{"a reader that does not say so", halfMeasurer{}, false, false, false, false, false},
		{"a reader", halfMeasurer{}, true, true, false, false, false},
		{"a lister", fakeLister{}, true, false, false, true, false},
		{"all of it", fakeMeasurer{}, true, true, true, true, true},
		{"all of it, not said", fakeMeasurer{}, false, false, true, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			description := fakeDescription
			description.Cover, description.Dependencies = test.says, test.says
			id, err := plugintest.Start(t, test.detector, description).Describe(t.Context(), "test")
			if err != nil {
				t.Fatal(err)
			}
			if id.Cover != test.cover || id.Index != test.index || id.Dependencies != test.dependencies || id.Outline != test.outline {
				t.Errorf("got %+v", id)
			}
		})
	}
}
