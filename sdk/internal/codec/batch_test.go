package codec

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// results are messages whose encodings the tests start from.
func results() map[string]*pb.TestResult {
	plain := &pb.TestResult{
		Id: &pb.TestId{Suite: "example.com/p", Name: "TestA/sub"}, Status: pb.Status_STATUS_PASSED, ElapsedNanos: 12_000,
		Location: &pb.Location{File: "p/a_test.go", Line: 12, Column: 3}, Root: "TestA", Body: "x1y2",
	}
	all := map[string]*pb.TestResult{
		"empty":   {},
		"plain":   plain,
		"fixture": {Id: &pb.TestId{Suite: "p"}, Status: pb.Status_STATUS_FAILED, Fixture: true},
		"derived": {Id: &pb.TestId{Suite: "p", Name: "T"}, Status: pb.Status_STATUS_FAILED, Container: true, Derived: true, Ended: true},
		"measured": {
			Id: &pb.TestId{Suite: "p", Name: "T"}, Status: pb.Status_STATUS_PASSED,
			Measures: []*pb.Measure{{Name: "gas", Value: "12"}}, Attributes: map[string]string{"k": "v"},
		},
		"unknown status":   {Id: &pb.TestId{Suite: "p", Name: "T"}, Status: 77},
		"negative numbers": {Id: &pb.TestId{Suite: "p", Name: "T"}, Status: -3, ElapsedNanos: -1, Location: &pb.Location{Line: -5, Column: -6}},
	}
	unknown := proto.Clone(plain).(*pb.TestResult)
	unknown.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 500, protowire.BytesType), "new"))
	all["a field of a newer plugin"] = unknown
	return all
}

// encodedBatches are messages, whole and damaged.
func encodedBatches(tb testing.TB) map[string][]byte {
	tb.Helper()
	batches := map[string][]byte{"nothing": nil, "a cut tag": {0x80}, "a group": {0x0b, 0x0c}, "tests as a number": {0x08, 0x01}}
	for name, r := range results() {
		m := &pb.ParseTestFailuresResponse{
			Tests:  []*pb.TestResult{r, results()["plain"], r},
			Suites: []*pb.SuiteResult{{Suite: "p", Outcome: pb.SuiteOutcome_SUITE_OUTCOME_PASSED}}, Notes: []string{"a note"},
		}
		encoded, err := proto.Marshal(m)
		if err != nil {
			tb.Fatal(err)
		}
		batches[name] = encoded
		batches[name+", cut"] = encoded[:len(encoded)-3]
	}
	test := func(fields []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, batchTests, protowire.BytesType), fields)
	}
	text := func(number protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), s)
	}
	id := func(fields string) []byte { return text(1, fields) }
	batches["a name that is not UTF-8"] = test(id(string(text(2, "\xff"))))
	batches["a root that is not UTF-8"] = test(text(5, "a\xc0"))
	batches["two ids"] = test(append(id(string(text(1, "p"))), id(string(text(2, "T")))...))
	batches["two roots"] = test(append(text(5, "A"), text(5, "B")...))
	batches["an id that is cut"] = test(id("\x0a\x05ab"))
	batches["a status as text"] = test(text(2, "1"))
	batches["a large status"] = test(protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 1<<40|2))
	return batches
}

// compareWithProtobuf checks that a batch is decoded as package proto does.
func compareWithProtobuf(t *testing.T, b *Batch, encoded []byte) {
	t.Helper()
	var m pb.ParseTestFailuresResponse
	want, got := proto.Unmarshal(encoded, &m), b.Unmarshal(encoded)
	if (want == nil) != (got == nil) {
		t.Fatalf("%x: error %v, of package proto %v", encoded, got, want)
	}
	if want != nil {
		return
	}
	var tests []sdk.TestResult
	var unknown []int32
	for _, r := range m.GetTests() {
		test := decodeTest(r)
		tests = append(tests, test)
		status := int32(r.GetStatus())
		if test.Status != "" {
			status = 0
		}
		unknown = append(unknown, status)
	}
	m.Tests = nil
	if len(tests) > 0 && (!reflect.DeepEqual(b.Tests, tests) || !reflect.DeepEqual(b.Unknown, unknown)) || len(b.Tests) != len(tests) {
		t.Fatalf("%x:\n got %+v, %v\nwant %+v, %v", encoded, b.Tests, b.Unknown, tests, unknown)
	}
	if !proto.Equal(&b.Rest, &m) {
		t.Fatalf("%x: the rest is\n%v\nwant\n%v", encoded, &b.Rest, &m)
	}
}

func TestABatchIsDecodedAsPackageProtoDoes(t *testing.T) {
	var b Batch // of all of them, as of a stream
	for name, encoded := range encodedBatches(t) {
		t.Run(name, func(t *testing.T) { compareWithProtobuf(t, &b, encoded) })
	}
}

func TestPlainResultsAreDecodedHere(t *testing.T) {
	for _, name := range []string{"empty", "plain", "fixture", "derived", "unknown status", "negative numbers"} {
		encoded, err := proto.Marshal(results()[name])
		if err != nil {
			t.Fatal(err)
		}
		var b Batch
		var r sdk.TestResult
		if _, plain := b.decodePlainTest(encoded, &r); !plain {
			t.Errorf("%s: goes to package proto", name)
		}
	}
}

func FuzzABatchIsDecodedAsPackageProtoDoes(f *testing.F) {
	for _, encoded := range encodedBatches(f) {
		f.Add(encoded)
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var b Batch
		compareWithProtobuf(t, &b, encoded)
		compareWithProtobuf(t, &b, encoded) // with the texts of the first time
	})
}

func TestABatchKeepsNoMemoryForManyResults(t *testing.T) {
	var b Batch
	many := make([]byte, 0, 20*keptTests)
	for range 10 * keptTests {
		many = append(many, batchTests<<3|byte(protowire.BytesType), 0)
	}
	if err := b.Unmarshal(many); err != nil || len(b.Tests) != 10*keptTests {
		t.Fatalf("%d results, %v", len(b.Tests), err)
	}
	if err := b.Unmarshal(nil); err != nil || cap(b.Tests) > keptTests || cap(b.Unknown) > 2*keptTests {
		t.Errorf("memory is kept for %d results and %d statuses; %v", cap(b.Tests), cap(b.Unknown), err)
	}
}
