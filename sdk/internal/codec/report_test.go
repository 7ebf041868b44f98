package codec

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// sentTest returns a result as the other side decodes it with package proto.
func sentTest(t *testing.T, r *Report, result sdk.TestResult) sdk.TestResult {
	t.Helper()
	r.EncodeTest(result)
	r.AddTest()
	size := r.Size()
	encoded, err := r.Append(nil)
	if err != nil || len(encoded) != size {
		t.Fatalf("%v, %d bytes of %d", err, len(encoded), size)
	}
	r.Empty()
	var m pb.ParseTestFailuresResponse
	if err := proto.Unmarshal(encoded, &m); err != nil || len(m.GetTests()) != 1 || len(m.GetTests()[0].ProtoReflect().GetUnknown()) > 0 {
		t.Fatalf("%v, %v", err, &m)
	}
	return decodeTest(m.GetTests()[0])
}

func TestEncodedResultsAreMessagesOfTheProtocol(t *testing.T) {
	full := sdk.TestResult{
		TestID: sdk.TestID{Suite: "s", Test: strings.Repeat("long/", 100)}, Status: sdk.Failed, Elapsed: time.Hour,
		Location: sdk.Location{File: strings.Repeat("d/", 80) + "f.go", Line: 1 << 30, Column: 7}, Root: "long", Container: true, Derived: true, Ended: true,
		Body: "b", Fixture: true, Measures: []sdk.Measure{{Name: "gas", Value: "1", Runs: 3}}, Attributes: map[string]string{"k": "v"},
	}
	var r Report
	for _, result := range []sdk.TestResult{
		{}, full, {Status: sdk.Passed}, {Status: sdk.Skipped, TestID: sdk.TestID{Test: "T"}}, {Status: sdk.Unfinished, Location: sdk.Location{Line: 3}},
	} {
		if got := sentTest(t, &r, result); !reflect.DeepEqual(got, result) {
			t.Errorf("got  %+v\nwant %+v", got, result)
		}
	}
	bad := sdk.TestResult{TestID: sdk.TestID{Suite: "a\xff"}, Elapsed: -1, Location: sdk.Location{File: "f\xff", Line: -2}, Root: "r\xff", Status: "odd", Body: strings.Repeat("b", 2*sdk.MaxBody)}
	got := sentTest(t, &r, bad)
	if got.Suite != "a\uFFFD" || got.Elapsed != 0 || got.Location != (sdk.Location{File: "f\uFFFD"}) || got.Root != "r\uFFFD" || got.Status != "" || len(got.Body) > sdk.MaxBody {
		t.Errorf("got %+v", got)
	}
}

// compareRequestWithProtobuf checks that a request is decoded as package proto does.
func compareRequestWithProtobuf(t *testing.T, r *Request, encoded []byte) {
	t.Helper()
	var m pb.ParseTestFailuresRequest
	r.Received = append(r.Received[:0], encoded...)
	want, got := proto.Unmarshal(encoded, &m), r.Unmarshal()
	if (want == nil) != (got == nil) {
		t.Fatalf("%x: error %v, of package proto %v", encoded, got, want)
	}
	c := r.Message.GetChunk()
	switch chunk := m.GetChunk(); {
	case want != nil:
	case chunk == nil:
		if !proto.Equal(&r.Message, &m) {
			t.Fatalf("%x: got %v, want %v", encoded, &r.Message, &m)
		}
	case c == nil || c.GetStream() != chunk.GetStream() || string(c.GetData()) != string(chunk.GetData()):
		t.Fatalf("%x: got %v, want %v", encoded, &r.Message, &m)
	}
}

// encodedRequests are messages, whole and damaged.
func encodedRequests(tb testing.TB) map[string][]byte {
	tb.Helper()
	requests := map[string][]byte{"nothing": nil, "a cut chunk": {0x12, 0x05, 0x08}, "a chunk as a number": {0x10, 0x01}}
	for name, m := range map[string]*pb.ParseTestFailuresRequest{
		"start": {Message: &pb.ParseTestFailuresRequest_Start{Start: &pb.RunStart{Locate: true}}},
		"exit":  {Message: &pb.ParseTestFailuresRequest_Exit{Exit: &pb.RunExit{Code: -1}}},
		"chunk": {Message: &pb.ParseTestFailuresRequest_Chunk{Chunk: &pb.OutputChunk{Stream: pb.Stream_STREAM_STDERR, Data: []byte("text\xff")}}},
		"empty": {Message: &pb.ParseTestFailuresRequest_Chunk{Chunk: &pb.OutputChunk{}}},
	} {
		encoded, err := proto.Marshal(m)
		if err != nil {
			tb.Fatal(err)
		}
		requests[name] = encoded
	}
	requests["two chunks"] = append(append([]byte(nil), requests["chunk"]...), requests["chunk"]...)
	requests["a chunk and an exit"] = append(append([]byte(nil), requests["chunk"]...), requests["exit"]...)
	requests["a chunk of a newer host"] = protowire.AppendBytes([]byte{0x12}, []byte("\x08\x01\x12\x01x\x1a\x01y"))
	return requests
}

func TestARequestIsDecodedAsPackageProtoDoes(t *testing.T) {
	var r Request
	for name, encoded := range encodedRequests(t) {
		t.Run(name, func(t *testing.T) { compareRequestWithProtobuf(t, &r, encoded) })
	}
}

func FuzzARequestIsDecodedAsPackageProtoDoes(f *testing.F) {
	for _, encoded := range encodedRequests(f) {
		f.Add(encoded)
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var r Request
		compareRequestWithProtobuf(t, &r, encoded)
		compareRequestWithProtobuf(t, &r, encoded)
	})
}
