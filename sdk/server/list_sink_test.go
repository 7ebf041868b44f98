package server

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

func TestAListingIsSentInBoundedMessages(t *testing.T) {
	const suites, tests = 100, 3000
	seen, files := map[string]int{}, map[string]int{}
	sink := newListSink(func(m *pb.ParseListResponse) error {
		if n := proto.Size(m); n > batchSize {
			t.Errorf("a message of %d bytes", n)
		}
		for _, suite := range m.GetSuites() {
			seen[suite.GetSuite()] += len(suite.GetTests())
		}
		for _, part := range m.GetParts() {
			files[part.GetName()] += len(part.GetFiles())
		}
		return nil
	})
	large := sdk.ListedSuite{Suite: "large"}
	for i := range tests {
		large.Tests = append(large.Tests, sdk.ListedTest{Name: fmt.Sprint("Test", i), Location: sdk.Location{File: "some/file_test.go", Line: 1}})
	}
	sink.Suite(large)
	for i := range suites {
		sink.Suite(sdk.ListedSuite{Suite: fmt.Sprintf("%0400d", i), Tests: []sdk.ListedTest{{Name: "Test"}}})
	}
	for i := range suites {
		sink.Part(sdk.ListedPart{Name: fmt.Sprintf("%0400d", i), Files: make([]string, tests)})
	}
	if err := sink.flush(); err != nil || sink.waiting() {
		t.Fatalf("%v, waiting %v", err, sink.waiting())
	}
	if name := fmt.Sprintf("%0400d", 1); files[name] != tests || len(files) != suites {
		t.Errorf("%d files of a part and %d parts arrived", files[name], len(files))
	}
	if seen["large"] != tests || len(seen) != suites+1 {
		t.Errorf("%d tests of the large suite and %d suites arrived", seen["large"], len(seen))
	}
	sink.shut()
	sink.Error("late")
	if err := sink.flush(); err != nil || len(seen) != suites+1 {
		t.Errorf("after the end: %v", err)
	}
}
