package conform

import (
	"bytes"
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

func checkOutputOf(ctx context.Context, s *subject, p *probe) {
	if !s.identity.OutputOf {
		p.exempt("the plugin does not declare CAPABILITY_OUTPUT_OF")
		return
	}
	if !s.hasRecordings(p) {
		return
	}
	asked, passedOn := false, 0
	for _, r := range s.Recordings {
		events, ok := s.playWhole(ctx, p, r)
		if !ok {
			return
		}
		for _, id := range events.Failed() {
			asked = true
			r.Run.OutputOf = id
			whole, ok := s.play(ctx, p, r, golden.WholeChunks)
			if !ok {
				return
			}
			passedOn += len(whole.Out)
			split, ok := s.play(ctx, p, r, golden.RandomChunks)
			if !ok {
				return
			}
			if diff := split.Diff(whole); diff != "" {
				p.fail(fmt.Sprintf("%s: the output of %v in random chunks and whole: %s", r.Name, id, diff), "make the result independent of the split")
			}
		}
	}
	if !asked {
		p.skip("no recorded output has a failed test: record a red run")
	} else if passedOn == 0 {
		p.skip("the plugin passes on no output of any failed test: record a red run in which a failed test prints something, or fix the parser")
	}
}

func checkLists(ctx context.Context, s *subject, p *probe) {
	if !s.identity.List {
		p.exempt("the plugin does not declare CAPABILITY_LIST")
		return
	}
	req := sdk.ListRequest{Workspace: s.Workspace}
	junk := golden.Stdout("garbage", bytes.Repeat([]byte("{\xff\x00\n"), 1000), sdk.Exit{Code: 1})
	if _, ok := s.list(ctx, p, req, junk, golden.WholeChunks); !ok {
		return
	}
	if !s.hasWorkspace(p) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	plan, err := s.detector.ListCmd(limited, req)
	if err != nil {
		s.reportRefused(ctx, p, "ListCmd for everything in the workspace", err)
		return
	}
	checkListing(p, plan)
	if len(s.Listings) == 0 {
		p.skip("no recorded listing was given: record what a command of ListCmd prints, as a case with \"listing\": true in run.json")
		return
	}
	proved := false
	for _, r := range s.Listings {
		whole, ok := s.list(ctx, p, req, r, golden.WholeChunks)
		if !ok {
			return
		}
		proved = proved || len(whole.Suites) > 0
		for _, c := range chunkings {
			split, ok := s.list(ctx, p, req, r, c)
			if !ok {
				return
			}
			if got, want := fmt.Sprintf("%+v", split), fmt.Sprintf("%+v", whole); got != want {
				p.fail(fmt.Sprintf("%s in chunks of %s: %s; whole: %s", r.Name, sizeName(c), got, want), "keep an incomplete line until the next chunk")
			}
		}
	}
	for _, c := range s.Cases {
		if !c.Listing || c.Want == nil {
			continue
		}
		listing, ok := s.list(ctx, p, req, c.Recording, golden.WholeChunks)
		if !ok {
			return
		}
		for _, difference := range c.Want.CompareListing(listing) {
			p.fail(fmt.Sprintf("case %s: %s", c.Name, difference), "fix the parser, or want.json")
		}
	}
	if !proved {
		p.skip("the plugin reads no test from any recorded listing: record what a command of its own ListCmd prints")
	}
}

func (s *subject) list(ctx context.Context, p *probe, req sdk.ListRequest, r golden.Recording, c golden.Chunking) (*golden.Listing, bool) {
	limited, cancel := context.WithTimeout(ctx, s.ParseLimit)
	defer cancel()
	listing, err := golden.PlayList(limited, s.detector, req, r, c)
	if err != nil {
		s.reportBroken(ctx, p, fmt.Sprintf("the listing %q in chunks of %s", r.Name, sizeName(c)), err)
	}
	return listing, err == nil
}

// checkUndeclared makes the calls that the plugin does not declare.
func checkUndeclared(ctx context.Context, s *subject, p *probe) {
	id := s.identity
	if id.List && id.Scaffold && id.Index && id.Outline {
		p.exempt("the plugin declares every call")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rpc := pb.NewDetectorServiceClient(s.conn)
	hold := func(call string, err error) {
		if code := status.Code(err); code != codes.Unimplemented {
			p.fail(fmt.Sprintf("%s ended with %v instead of Unimplemented", call, code), "declare the capability, or leave the call out")
		}
	}
	if !id.List {
		_, err := rpc.ListCmd(ctx, &pb.ListCmdRequest{})
		hold("ListCmd", err)
	}
	if !id.Scaffold {
		_, err := rpc.Scaffold(ctx, &pb.ScaffoldRequest{})
		hold("Scaffold", err)
	}
	if !id.Index {
		_, err := rpc.IndexCmd(ctx, &pb.IndexCmdRequest{})
		hold("IndexCmd", err)
	}
	if !id.Index && !id.Cover {
		hold("ParseCoverage", s.detector.ParseCoverage(ctx, sdk.CoverageRequest{}, new(golden.Coverage)))
	}
	if !id.Outline {
		hold("Outline", s.detector.Outline(ctx, sdk.OutlineRequest{Files: []string{"a"}}, new(golden.Outlines)))
	}
}
