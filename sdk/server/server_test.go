package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestCapabilitiesFollowFromWhatIsImplemented(t *testing.T) {
	for _, test := range []struct {
		name           string
		detector       sdk.Detector
		outputOf, list bool
	}{
		{"a plain detector", fake{}, false, false},
		{"a lister", fakeLister{}, false, true},
		{"with the output of single tests", fake{}, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			description := fakeDescription
			description.OutputOf = test.outputOf
			description.Selectors = []sdk.Selector{sdk.SelectSuites, sdk.SelectTestPattern}
			id, err := plugintest.Start(t, test.detector, description).Describe(t.Context(), "test")
			if err != nil {
				t.Fatal(err)
			}
			if id.List != test.list || id.OutputOf != test.outputOf || !id.Progress || id.SDKVersion == "" {
				t.Errorf("got %+v", id)
			}
			if !slices.Equal(id.Selectors, description.Selectors) || id.Name != "fake" || id.Version != "1.2.3" {
				t.Errorf("got %+v", id)
			}
		})
	}
}

func TestADirectoryWithAMarkerIsAProject(t *testing.T) {
	d := plugintest.Start(t, fake{}, fakeDescription)
	root := t.TempDir()
	if found, err := d.Detect(t.Context(), sdk.Workspace{Root: root}); err != nil || found.Detected {
		t.Errorf("an empty directory: %v, %v", found, err)
	}
	if err := os.WriteFile(filepath.Join(root, "fake.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := d.Detect(t.Context(), sdk.Workspace{Root: root}); err != nil || !found.Detected {
		t.Errorf("with a marker: %v, %v", found, err)
	}
}

type choosy struct{ fake }

func (choosy) Detect(context.Context, sdk.Workspace) (sdk.Detection, error) {
	return sdk.Detection{Detected: true, Untested: []sdk.Untested{{Path: "sub", Reason: "why"}}}, nil
}

func TestADetectorMayRecognizeProjectsItself(t *testing.T) {
	found, err := plugintest.Start(t, choosy{}, fakeDescription).Detect(t.Context(), sdk.Workspace{})
	if err != nil || !found.Detected || len(found.Untested) != 1 || found.Untested[0].Reason != "why" {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestListingWithoutAListerIsUnimplemented(t *testing.T) {
	d := plugintest.Start(t, fake{}, fakeDescription)
	if _, err := d.ListCmd(t.Context(), sdk.ListRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("ListCmd: %v", err)
	}
	stream, err := d.ParseList(t.Context(), sdk.ListRequest{}, sdk.Command{}, new(plugintest.Listing))
	if err == nil {
		err = stream.Close(sdk.Exit{})
	}
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("ParseList: %v", err)
	}
}

func TestErrorsKeepTheirKind(t *testing.T) {
	refusal := &sdk.Error{Reason: sdk.ToolNotFound, Message: "go was not found; install it"}
	var got error
	d := plugintest.Start(t, fake{testCmd: func(context.Context, sdk.TestRequest) (sdk.Plan, error) {
		return sdk.Plan{}, got
	}}, fakeDescription)
	call := func(err error) error {
		got = err
		_, err = d.TestCmd(t.Context(), sdk.TestRequest{})
		return err
	}
	var back *sdk.Error
	if err := call(refusal); !errors.As(err, &back) || *back != *refusal {
		t.Errorf("a refusal arrived as %#v", err)
	}
	if err := call(fmt.Errorf("composing: %w", refusal)); !errors.As(err, &back) || back.Reason != sdk.ToolNotFound {
		t.Errorf("a wrapped refusal arrived as %#v", err)
	}
	if err := call(&sdk.Error{Reason: "OF_A_NEWER_SDK", Message: "\xff"}); !errors.As(err, &back) || back.Reason != "OF_A_NEWER_SDK" {
		t.Errorf("a refusal with an unknown reason arrived as %#v", err)
	}
	if err := call(errors.New("broken\xff" + strings.Repeat("x", 1<<20))); status.Code(err) != codes.Unknown || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a plain error arrived as %.100v", err)
	}
	if err := call(context.DeadlineExceeded); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("a passed deadline arrived as %v", err)
	}
}

func TestAPanicEndsOnlyItsOwnCall(t *testing.T) {
	calls := 0
	conn := plugintest.Connect(t, fake{testCmd: func(context.Context, sdk.TestRequest) (sdk.Plan, error) {
		if calls++; calls <= 2 {
			panic("no such runner\xff")
		}
		return sdk.Plan{Commands: []sdk.Command{{Argv: []string{"run"}}}}, nil
	}}, fakeDescription)
	d := client.New(conn)
	_, err := d.TestCmd(t.Context(), sdk.TestRequest{})
	if panicked, ok := errors.AsType[*sdk.PanicError](err); !ok || !strings.HasPrefix(panicked.Value, "no such runner") || !strings.Contains(panicked.Stack, "server_test.go") {
		t.Fatalf("the panic arrived as %#v", err)
	}
	if _, err := pb.NewDetectorServiceClient(conn).TestCmd(t.Context(), &pb.TestCmdRequest{}); status.Code(err) != codes.Internal {
		t.Errorf("on the wire it is %v", err)
	}
	if plan, err := d.TestCmd(t.Context(), sdk.TestRequest{}); err != nil || len(plan.Commands) != 1 {
		t.Errorf("the next call: %v, %v", plan, err)
	}
}

func TestAPlanBeyondTheMessageLimitIsAnError(t *testing.T) {
	d := plugintest.Start(t, fake{testCmd: func(context.Context, sdk.TestRequest) (sdk.Plan, error) {
		return sdk.Plan{Commands: []sdk.Command{{Argv: []string{strings.Repeat("x", sdk.MaxMessage)}}}}, nil
	}}, fakeDescription)
	if _, err := d.TestCmd(t.Context(), sdk.TestRequest{}); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("got %v", err)
	}
}
