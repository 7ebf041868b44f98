package codec

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// Report is a message of a parse stream as a plugin sends it. Its results are encoded as they
// are reported; see [Batch] for why.
type Report struct {
	// Rest is everything but the results.
	Rest pb.ParseTestFailuresResponse
	// tests are the encoded results, and test is storage for one.
	tests, test []byte
}

// EncodeTest encodes a result for AddTest, and returns its size.
func (r *Report) EncodeTest(t sdk.TestResult) int {
	r.test = appendTest(r.test[:0], t)
	return len(r.test) + Overhead
}

// AddTest adds the result that was encoded last.
func (r *Report) AddTest() {
	r.tests = protowire.AppendTag(r.tests, batchTests, protowire.BytesType)
	r.tests = protowire.AppendBytes(r.tests, r.test)
}

// Size returns the size of the encoded message.
func (r *Report) Size() int { return len(r.tests) + proto.Size(&r.Rest) }

// Append appends the encoded message. It relies on a call of Size just before.
func (r *Report) Append(b []byte) ([]byte, error) {
	return proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(append(b, r.tests...), &r.Rest)
}

// Empty keeps the storage for the next message.
func (r *Report) Empty() {
	r.tests = r.tests[:0]
	m := &r.Rest
	clear(m.Failures)
	m.Failures, m.Suites, m.Unread = m.Failures[:0], m.Suites[:0], m.Unread[:0]
	m.Notes, m.RunErrors, m.Output, m.Progress, m.Refusals, m.FileBytesRead = m.Notes[:0], m.RunErrors[:0], m.Output[:0], nil, nil, 0
	clear(m.Conditions)
}

// appendTest appends an encoded TestResult.
func appendTest(b []byte, t sdk.TestResult) []byte {
	suite, name := fit.Name(t.Suite), fit.Name(t.Test)
	b = protowire.AppendVarint(b, testID)
	b = protowire.AppendVarint(b, uint64(textSize(suite)+textSize(name)))
	b = appendText(b, idSuite, suite)
	b = appendText(b, idName, name)
	b = appendNumber(b, testStatus, uint64(encodeStatus(t.Status)))
	b = appendNumber(b, testElapsed, uint64(encodeNanos(t.Elapsed)))
	if t.Location != (sdk.Location{}) {
		file, line, column := fit.Name(t.Location.File), uint64(encodeCount(t.Location.Line)), uint64(encodeCount(t.Location.Column))
		b = protowire.AppendVarint(b, testLocation)
		b = protowire.AppendVarint(b, uint64(textSize(file)+numberSize(line)+numberSize(column)))
		b = appendText(b, locationFile, file)
		b = appendNumber(b, locationLine, line)
		b = appendNumber(b, locationColumn, column)
	}
	b = appendText(b, testRoot, fit.Name(t.Root))
	b = appendNumber(b, testContainer, protowire.EncodeBool(t.Container))
	b = appendNumber(b, testDerived, protowire.EncodeBool(t.Derived))
	b = appendNumber(b, testFixture, protowire.EncodeBool(t.Fixture))
	b = appendNumber(b, testEnded, protowire.EncodeBool(t.Ended))
	b = appendText(b, testBody, fit.Text(t.Body, sdk.MaxBody))
	if len(t.Measures)+len(t.Attributes) > 0 {
		// All texts are valid, so encoding cannot fail.
		b, _ = proto.MarshalOptions{}.MarshalAppend(b, &pb.TestResult{Measures: encodeMeasures(t.Measures), Attributes: fitAttributes(t.Attributes)})
	}
	return b
}

// Every tag here takes a byte, and a zero value is left out.

func textSize(s string) int {
	if s == "" {
		return 0
	}
	return 1 + protowire.SizeBytes(len(s))
}

func numberSize(n uint64) int {
	if n == 0 {
		return 0
	}
	return 1 + protowire.SizeVarint(n)
}

func appendText(b []byte, tag uint64, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(append(b, byte(tag)), s)
}

func appendNumber(b []byte, tag, n uint64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(append(b, byte(tag)), n)
}
