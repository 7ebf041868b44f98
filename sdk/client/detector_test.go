package client_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

func TestUnknownCapabilitiesAreIgnored(t *testing.T) {
	d := connect(t, peer{describe: func() *pb.DescribeResponse {
		return &pb.DescribeResponse{
			Name:         "new",
			Selectors:    []pb.Selector{0, pb.Selector_SELECTOR_SUITES, 99, -1},
			Capabilities: []pb.Capability{0, 99, pb.Capability_CAPABILITY_LIST},
		}
	}})
	id, err := d.Describe(t.Context(), "test")
	if err != nil || !slices.Equal(id.Selectors, []sdk.Selector{sdk.SelectSuites}) || !id.List || id.OutputOf || id.Progress {
		t.Errorf("got %+v, %v", id, err)
	}
}

func TestAReplyBeyondTheLimitIsRefused(t *testing.T) {
	d := connect(t, peer{testCmd: func(context.Context) (*pb.TestCmdResponse, error) {
		return &pb.TestCmdResponse{Warnings: []string{strings.Repeat("x", sdk.MaxMessage+1)}}, nil
	}})
	if _, err := d.TestCmd(t.Context(), sdk.TestRequest{}); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("got %v", err)
	}
}

func TestARequestBeyondTheLimitIsNotSent(t *testing.T) {
	d := connect(t, peer{testCmd: func(context.Context) (*pb.TestCmdResponse, error) {
		t.Error("the request arrived at the plugin")
		return nil, nil
	}})
	_, err := d.TestCmd(t.Context(), sdk.TestRequest{RunnerArgs: []string{strings.Repeat("x", sdk.MaxMessage+1)}})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("got %v", err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	d := connect(t, peer{testCmd: func(ctx context.Context) (*pb.TestCmdResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	if _, err := d.TestCmd(ctx, sdk.TestRequest{}); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
}

func TestOtherStatusErrorsAreUnchanged(t *testing.T) {
	d := connect(t, peer{testCmd: func(context.Context) (*pb.TestCmdResponse, error) {
		return nil, status.Error(codes.NotFound, "nothing here")
	}})
	if _, err := d.TestCmd(t.Context(), sdk.TestRequest{}); status.Code(err) != codes.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestTheClientPluginCannotServe(t *testing.T) {
	if err := new(client.Plugin).GRPCServer(nil, nil); err == nil {
		t.Error("GRPCServer returned no error")
	}
}
