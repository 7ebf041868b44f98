package codec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

func TestASmallFailureIsNotShortened(t *testing.T) {
	f := &pb.Failure{
		Message: "m", Output: "o", Diff: &pb.Diff{Got: "1"}, Also: []*pb.Also{{Message: "a"}},
		Blocks: []string{"b"}, Attributes: map[string]string{"k": "v"}, Repro: &pb.Command{Argv: []string{"x"}},
	}
	before := proto.Clone(f)
	if shortened := boundFailure(f); len(shortened) > 0 || !proto.Equal(f, before) {
		t.Errorf("shortened %v: %v", shortened, f)
	}
}

func TestNoFailureExceedsAMessage(t *testing.T) {
	const huge = 10 << 20
	f := &pb.Failure{
		Id:      &pb.TestId{Suite: fit.Name(strings.Repeat("s", huge)), Name: fit.Name(strings.Repeat("n", huge))},
		Kind:    strings.Repeat("k", huge),
		Message: strings.Repeat("\xff\x00", huge),
		Output:  strings.Repeat("line\n", huge/5),
		Diff:    &pb.Diff{Got: strings.Repeat("g", huge), Want: strings.Repeat("w", huge), Text: strings.Repeat("t", huge)},
		Repro:   &pb.Command{Argv: []string{strings.Repeat("x", huge)}},
		Attributes: map[string]string{
			"a": strings.Repeat("v", huge), "b": "small", strings.Repeat("k", huge): "v", sdk.TruncatedAttribute: sdk.NoMessage,
		},
	}
	for i := range 100_000 {
		f.Also = append(f.Also, &pb.Also{Message: strings.Repeat("m", 1000)})
		f.Stack = append(f.Stack, &pb.Frame{Function: fmt.Sprint("frame", i)})
		f.DerivedFrom = append(f.DerivedFrom, &pb.TestId{Suite: "suite", Name: fmt.Sprint(i)})
		f.Blocks = append(f.Blocks, fmt.Sprint("a/rather/long/suite/name/", i))
		f.Attributes[fmt.Sprint("key", i)] = "value"
	}
	shortened := boundFailure(f)
	if n := proto.Size(f); n > 2<<20 {
		t.Errorf("%d bytes", n)
	}
	want := []string{"also", "stack", "derived_from", "blocks", "repro", "attributes"}
	if !slices.Equal(shortened, want) {
		t.Errorf("shortened %v, want %v", shortened, want)
	}
	for _, field := range append(want, sdk.NoMessage) {
		if !strings.Contains(f.GetAttributes()[sdk.TruncatedAttribute], field) {
			t.Errorf("the failure does not say that %s is incomplete", field)
		}
	}
	if !f.GetOutputTruncated() {
		t.Error("the output was truncated, but the failure does not say so")
	}
	if len(f.GetBlocks()) < 1000 || f.GetStack()[0].GetFunction() != "frame0" {
		t.Errorf("too little is left: %d suites, first frame %v", len(f.GetBlocks()), f.GetStack()[0])
	}
	if _, err := proto.Marshal(f); err != nil {
		t.Errorf("the failure cannot be encoded: %v", err)
	}
}
