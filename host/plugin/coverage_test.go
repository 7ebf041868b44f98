//go:build unix

package plugin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// parseCoverage asks a plugin in some mode what was measured.
func parseCoverage(t *testing.T, mode string, configure func(*Config)) (*golden.Coverage, error) {
	t.Helper()
	f := newFixture(t, mode)
	if configure != nil {
		configure(&f.config)
	}
	var got golden.Coverage
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := withPlugin(ctx, f, func(p *Plugin) error {
		return p.ParseCoverage(ctx, sdk.CoverageRequest{Scratch: "/scratch"}, &got)
	})
	if ctx.Err() != nil {
		t.Fatal("it took too long")
	}
	return &got, err
}

func TestWhatWasMeasuredArrives(t *testing.T) {
	got, err := parseCoverage(t, "measure-well", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &golden.Coverage{Suites: []sdk.SuiteCoverage{measured("first"), measured("second")}, Errors: []string{"third cannot be read: /scratch"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatWasMeasuredBeforeAFaultCounts(t *testing.T) {
	for _, c := range []struct {
		mode      string
		configure func(*Config)
		want      func(error) bool
		says      string
	}{
		{mode: "measure-beyond", want: violating("tests[0].blocks"), says: "block 9 is in it, and there are 9"},
		{mode: "measure-twice", want: violating("suite"), says: "reported twice"},
		{mode: "measure-panic", want: is[*sdk.PanicError], says: "at the second suite"},
		{mode: "measure-crash", want: crashed(false), says: "crashed in ParseCoverage"},
		{mode: "measure-hang", configure: hasteParse, want: is[*HungError], says: "it did not continue its answer for 300ms"},
		{mode: "measure-chatter", configure: func(c *Config) { c.ReceiveTimeout = short }, want: is[*HungError], says: "it still reported for 300ms"},
		{mode: "measure-refuse", want: is[*sdk.Error], says: "of a newer tool"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			got, err := parseCoverage(t, c.mode, c.configure)
			if !c.want(err) || !strings.Contains(err.Error()+detailOf(err), c.says) {
				t.Errorf("got %T %v", err, err)
			}
			if diff := cmp.Diff([]sdk.SuiteCoverage{measured("first")}, got.Suites); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCoverageOfAPluginWithoutTheSDKIsBounded(t *testing.T) {
	for _, c := range []struct {
		mode           string
		want           func(error) bool
		suites, errors []string
	}{
		{mode: "raw-endless", want: is[*TooBigError], errors: []string{"what was measured of s did not arrive in full"}},
		{mode: "raw-no-last", suites: []string{"whole"}, errors: []string{"what was measured of half did not arrive in full"}},
		{mode: "raw-after-violation", want: violating("start_up"), suites: []string{"s0"}},
		{mode: "raw-large", want: is[*TooBigError]},
	} {
		t.Run(c.mode, func(t *testing.T) {
			got, err := parseCoverage(t, c.mode, nil)
			if (c.want == nil) != (err == nil) || c.want != nil && !c.want(err) {
				t.Errorf("got %T %v", err, err)
			}
			var suites []string
			for _, s := range got.Suites {
				suites = append(suites, s.Suite)
			}
			if !slices.Equal(suites, c.suites) || !slices.Equal(got.Errors, c.errors) {
				t.Errorf("got the suites %q and the errors %q", suites, got.Errors)
			}
		})
	}
}

func TestAPluginMayCrashOnceOverWhatWasMeasured(t *testing.T) {
	p := newFixture(t, "measure-crash").start(t)
	if err := p.ParseCoverage(t.Context(), sdk.CoverageRequest{}, &golden.Coverage{}); !crashed(false)(err) {
		t.Fatalf("got %v", err)
	}
	plan, err := p.IndexCmd(t.Context(), sdk.IndexRequest{Suites: []string{"s"}})
	if err != nil || len(plan.Commands) != 1 || !plan.Commands[0].Covers {
		t.Errorf("afterwards: %+v, %v", plan, err)
	}
}

func TestCoverageIsRefusedUnlessAskedFor(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		mode string
		act  func(*Plugin) (sdk.Plan, error)
		want func(error) bool
	}{
		{"measure-well", func(p *Plugin) (sdk.Plan, error) { return p.IndexCmd(ctx, sdk.IndexRequest{}) }, nil},
		{"measure-well", func(p *Plugin) (sdk.Plan, error) { return p.TestCmd(ctx, sdk.TestRequest{Cover: true}) }, nil},
		{"measure-unasked", func(p *Plugin) (sdk.Plan, error) { return p.TestCmd(ctx, sdk.TestRequest{}) }, violating("commands[0].covers")},
		{"measure-and-prepare", func(p *Plugin) (sdk.Plan, error) { return p.IndexCmd(ctx, sdk.IndexRequest{}) }, violating("commands[0].covers")},
	} {
		t.Run(c.mode, func(t *testing.T) {
			err := withPlugin(ctx, newFixture(t, c.mode), func(p *Plugin) error {
				plan, err := c.act(p)
				if err == nil && (len(plan.Commands) != 1 || !plan.Commands[0].Covers) {
					return fmt.Errorf("got %+v", plan)
				}
				return err
			})
			if (c.want == nil) != (err == nil) || c.want != nil && !c.want(err) {
				t.Errorf("got %T %v", err, err)
			}
		})
	}
}

func TestOutlinesAreChecked(t *testing.T) {
	for _, c := range []struct {
		mode  string
		want  func(error) bool
		files []string
	}{
		{mode: "outline-well", files: []string{"a", "b", "c"}},
		{mode: "outline-lines", want: violating("units[1].start_line"), files: []string{"a"}},
		{mode: "outline-digest", want: violating("units[1].digest"), files: []string{"a"}},
		{mode: "outline-unasked", want: violating("file"), files: []string{"a"}},
		{mode: "outline-twice", want: violating("file"), files: []string{"a", "c"}},
		{mode: "outline-alike", files: []string{"a", "c"}},
		{mode: "outline-crash", want: crashed(false)},
	} {
		t.Run(c.mode, func(t *testing.T) {
			var got golden.Outlines
			err := withPlugin(t.Context(), newFixture(t, c.mode), func(p *Plugin) error {
				return p.Outline(t.Context(), sdk.OutlineRequest{Files: []string{"a", "b", "c"}}, &got)
			})
			if (c.want == nil) != (err == nil) || c.want != nil && !c.want(err) {
				t.Errorf("got %T %v", err, err)
			}
			var files []string
			for _, f := range got.Files {
				files = append(files, f.File)
			}
			if !slices.Equal(files, c.files) {
				t.Errorf("got %q", files)
			}
		})
	}
}

func TestAPluginThatCannotMeasureSaysSo(t *testing.T) {
	p := newFixture(t, "lister").start(t)
	_, err := p.IndexCmd(t.Context(), sdk.IndexRequest{})
	for call, err := range map[string]error{
		"IndexCmd":      err,
		"ParseCoverage": p.ParseCoverage(t.Context(), sdk.CoverageRequest{}, &golden.Coverage{}),
		"Outline":       p.Outline(t.Context(), sdk.OutlineRequest{}, &golden.Outlines{}),
	} {
		if unsupported, ok := errors.AsType[*UnsupportedError](err); !ok || unsupported.Call != call {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// slowSink keeps a plugin waiting.
type slowSink struct {
	golden.Coverage
	wait <-chan time.Time
}

func (s *slowSink) Suite(c sdk.SuiteCoverage) {
	<-s.wait
	s.Coverage.Suite(c)
}

func TestAPluginDoesNotHangWhileTheHostIsBusy(t *testing.T) {
	f := newFixture(t, "measure-well")
	hasteParse(&f.config)
	wait := make(chan time.Time)
	time.AfterFunc(2*short, func() { close(wait) })
	sink := &slowSink{wait: wait}
	if err := f.start(t).ParseCoverage(t.Context(), sdk.CoverageRequest{}, sink); err != nil || len(sink.Suites) != 2 {
		t.Errorf("%d suites, %v", len(sink.Suites), err)
	}
}

func TestCoverageIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*sdk.SuiteCoverage)
		field  string
	}{
		"good":                  {func(*sdk.SuiteCoverage) {}, ""},
		"nothing":               {func(c *sdk.SuiteCoverage) { *c = sdk.SuiteCoverage{Suite: "s"} }, ""},
		"full sets":             {func(c *sdk.SuiteCoverage) { c.Whole = sdk.BlockSet{255, 1} }, ""},
		"one line":              {func(c *sdk.SuiteCoverage) { c.Files[0].Blocks[0] = sdk.Block{StartLine: 1, EndLine: 1} }, ""},
		"no name":               {func(c *sdk.SuiteCoverage) { c.Suite = "" }, "suite"},
		"file without a name":   {func(c *sdk.SuiteCoverage) { c.Files[0].File = "" }, "files[0].file"},
		"line 0":                {func(c *sdk.SuiteCoverage) { c.Files[0].Blocks[0].StartLine = 0 }, "files[0].blocks[0]"},
		"ends before it begins": {func(c *sdk.SuiteCoverage) { c.Files[0].Blocks[4].EndLine = 1 }, "files[0].blocks[4]"},
		"columns the wrong way": {func(c *sdk.SuiteCoverage) {
			c.Files[0].Blocks[0] = sdk.Block{StartLine: 1, StartColumn: 2, EndLine: 1, EndColumn: 1}
		}, "files[0].blocks[0]"},
		"negative column":        {func(c *sdk.SuiteCoverage) { c.Files[0].Blocks[0].StartColumn = -1 }, "files[0].blocks[0]"},
		"block beyond":           {func(c *sdk.SuiteCoverage) { c.Whole = sdk.BlockSet{0, 2} }, "whole"},
		"set too long":           {func(c *sdk.SuiteCoverage) { c.StartUp = sdk.BlockSet{0, 0, 0} }, "start_up"},
		"blocks without files":   {func(c *sdk.SuiteCoverage) { c.Files = nil }, "whole"},
		"test without a name":    {func(c *sdk.SuiteCoverage) { c.Tests[0].Name = "" }, "tests[0].name"},
		"test twice":             {func(c *sdk.SuiteCoverage) { c.Tests = append(c.Tests, c.Tests[0]) }, "tests[1].name"},
		"test beyond":            {func(c *sdk.SuiteCoverage) { c.Tests[0].Blocks = sdk.BlockSet{0, 2} }, "tests[0].blocks"},
		"read of the root":       {func(c *sdk.SuiteCoverage) { c.Tests[0].Reads = []string{"."} }, ""},
		"read outside":           {func(c *sdk.SuiteCoverage) { c.Tests[0].Reads = []string{"a", "../b"} }, "tests[0].reads[1]"},
		"read of an absolute":    {func(c *sdk.SuiteCoverage) { c.Tests[0].Reads = []string{"/etc/passwd"} }, "tests[0].reads[0]"},
		"read of nothing":        {func(c *sdk.SuiteCoverage) { c.Tests[0].Reads = []string{""} }, "tests[0].reads[0]"},
		"more blocks than there": {func(c *sdk.SuiteCoverage) { c.Files[0].Blocks = slices.Repeat(c.Files[0].Blocks[:1], sdk.MaxBlocks+1) }, "files"},
	} {
		t.Run(name, func(t *testing.T) {
			coverage := measured("s")
			c.change(&coverage)
			v := checkCoverage(coverage)
			if (v == nil) != (c.field == "") || v != nil && v.field != c.field {
				t.Errorf("got %+v, want %q", v, c.field)
			}
		})
	}
}

func TestEveryTextOfWhatWasMeasuredIsBounded(t *testing.T) {
	const huge = 1 << 20
	for _, size := range []int{60, huge} {
		got := boundCoverage(filled[sdk.SuiteCoverage](size, 2))
		where, n := longest(reflect.ValueOf(got), "coverage")
		if size == 60 && n != 60 || n > sdk.MaxText {
			t.Errorf("%s has %d bytes", where, n)
		}
	}
}
