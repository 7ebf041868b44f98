//go:build unix

package plugin

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// badMeasurer measures and outlines, and misbehaves if the name of its mode says so.
type badMeasurer struct{ badLister }

// measuring reports whether a mode is one of badMeasurer.
func measuring(mode string) bool {
	return strings.HasPrefix(mode, "measure-") || strings.HasPrefix(mode, "outline-")
}

func (d badMeasurer) IndexCmd(_ context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	c := sdk.Command{Argv: append([]string{"index"}, req.Suites...), Covers: true, Prepares: d.mode == "measure-and-prepare"}
	return sdk.Plan{Commands: []sdk.Command{c}}, nil
}

func (d badMeasurer) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	return sdk.Plan{Commands: []sdk.Command{{Argv: []string{"test"}, Covers: req.Cover || d.mode == "measure-unasked"}}}, nil
}

// measured is a suite of nine blocks.
func measured(name string) sdk.SuiteCoverage {
	c := sdk.SuiteCoverage{Suite: name, Granularity: sdk.CoveragePerTest, Whole: sdk.BlockSet{1}, Files: []sdk.CoveredFile{{File: "f"}}}
	for i := range 9 {
		c.Files[0].Blocks = append(c.Files[0].Blocks, sdk.Block{StartLine: 1 + i, EndLine: 2 + i})
	}
	c.Tests = []sdk.TestCoverage{{Name: "Test", Blocks: sdk.BlockSet{0, 1}, Alone: sdk.Passed, Reads: []string{"testdata/x"}}}
	return c
}

func (d badMeasurer) ParseCoverage(ctx context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	sink.Suite(measured("first"))
	second := measured("second")
	switch d.mode {
	case "measure-beyond":
		second.Tests[0].Blocks = sdk.BlockSet{0, 2}
	case "measure-twice":
		second.Suite = "first"
	case "measure-panic":
		panic("at the second suite")
	case "measure-crash":
		// More than gRPC holds back, so that the first suite is on its way.
		for range 16 {
			sink.Error(strings.Repeat("x", sdk.MaxText))
		}
		os.Exit(5)
	case "measure-hang":
		<-ctx.Done()
	case "measure-chatter":
		for ctx.Err() == nil {
			sink.Error("still at it")
			time.Sleep(time.Millisecond)
		}
	case "measure-refuse":
		return &sdk.Error{Reason: sdk.ToolTooOld, Message: "of a newer tool"}
	}
	sink.Suite(second)
	sink.Error("third cannot be read: " + req.Scratch)
	return nil
}

func (d badMeasurer) Outline(_ context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	for i, name := range req.Files {
		f := sdk.OutlinedFile{File: name, Units: []sdk.SourceUnit{
			{Name: "a", Kind: sdk.UnitName, StartLine: 1, EndLine: 1, Digest: "1"},
			{Name: "a", Kind: sdk.UnitBody, StartLine: 1, EndLine: 3, Digest: "2"},
		}}
		if i == 1 {
			switch d.mode {
			case "outline-lines":
				f.Units[1].EndLine = 0
			case "outline-digest":
				f.Units[1].Digest = ""
			case "outline-unasked":
				f.File = "other"
			case "outline-twice":
				f.File = req.Files[0]
			case "outline-alike":
				f.Units[1].Kind = sdk.UnitName
			case "outline-crash":
				os.Exit(6)
			}
		}
		sink.File(f)
		if d.mode == "outline-twice" {
			sink.File(sdk.OutlinedFile{File: "c"}) // what follows adds up by itself
		}
	}
	return nil
}

// rawMeasurers speak the protocol without the SDK.
var rawMeasurers = map[string]func(grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error{
	"raw-endless": func(rpc grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error {
		// An endless part, nothing of which needs to be kept.
		m := &pb.ParseCoverageResponse{Suites: []*pb.SuiteCoverage{{Suite: "s", Whole: make([]byte, 3<<20)}}}
		for {
			if err := rpc.Send(m); err != nil {
				return err
			}
		}
	},
	"raw-no-last": func(rpc grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error {
		return rpc.Send(&pb.ParseCoverageResponse{Suites: []*pb.SuiteCoverage{{Suite: "whole", Last: true}, {Suite: "half"}}})
	},
	"raw-after-violation": func(rpc grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error {
		m := &pb.ParseCoverageResponse{}
		for i := range 3 {
			m.Suites = append(m.Suites, &pb.SuiteCoverage{Suite: fmt.Sprint("s", i), Last: true})
		}
		m.Suites[1].StartUp = []byte{1}
		return rpc.Send(m)
	},
	"raw-large": func(rpc grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error {
		return rpc.Send(&pb.ParseCoverageResponse{Errors: []string{strings.Repeat("x", sdk.MaxMessage)}})
	},
}
