package codec

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// Batch is a message of a parse stream as the host reads it. A run has hundreds of thousands
// of results: decoded by package proto each is five objects, of which the host keeps none.
// So those of the plain form are decoded here, and package proto decodes everything else,
// including what is malformed. A Batch is reused for all messages of a stream.
type Batch struct {
	// Tests are the results, and Unknown the status of one whose Status is empty because
	// this version does not know it.
	Tests   []sdk.TestResult
	Unknown []int32
	// Rest is everything but Tests.
	Rest pb.ParseTestFailuresResponse

	// rest are the encoded fields of Rest.
	rest []byte
	// The same texts come again and again.
	suite, root, file string
}

// batchTests is the number of the results in a ParseTestFailuresResponse.
const batchTests = 1

// Tags of TestResult: a field's number and how its value is encoded.
const (
	testID        = 1<<3 | uint64(protowire.BytesType)
	testStatus    = 2<<3 | uint64(protowire.VarintType)
	testElapsed   = 3<<3 | uint64(protowire.VarintType)
	testLocation  = 4<<3 | uint64(protowire.BytesType)
	testRoot      = 5<<3 | uint64(protowire.BytesType)
	testContainer = 6<<3 | uint64(protowire.VarintType)
	testDerived   = 7<<3 | uint64(protowire.VarintType)
	testFixture   = 8<<3 | uint64(protowire.VarintType)
	testEnded     = 11<<3 | uint64(protowire.VarintType)
	testBody      = 12<<3 | uint64(protowire.BytesType)
)

// Tags of TestId and Location.
const (
	idSuite = 1<<3 | uint64(protowire.BytesType)
	idName  = 2<<3 | uint64(protowire.BytesType)

	locationFile   = 1<<3 | uint64(protowire.BytesType)
	locationLine   = 2<<3 | uint64(protowire.VarintType)
	locationColumn = 3<<3 | uint64(protowire.VarintType)
)

// Unmarshal decodes a message and forgets the previous one. It accepts exactly what
// proto.Unmarshal accepts, and retains nothing of data.
func (b *Batch) Unmarshal(data []byte) error {
	b.dropTests()
	b.rest = b.rest[:0]
	b.Rest.Reset()
	for at := data; len(at) > 0; {
		number, kind, n := protowire.ConsumeTag(at)
		if n < 0 {
			return b.unmarshalAll(data)
		}
		size := protowire.ConsumeFieldValue(number, kind, at[n:])
		if size < 0 {
			return b.unmarshalAll(data)
		}
		if number == batchTests && kind == protowire.BytesType {
			encoded, _ := protowire.ConsumeBytes(at[n:])
			if err := b.unmarshalTest(encoded); err != nil {
				return err
			}
		} else {
			b.rest = append(b.rest, at[:n+size]...)
		}
		at = at[n+size:]
	}
	if len(b.rest) == 0 {
		return nil
	}
	return proto.Unmarshal(b.rest, &b.Rest)
}

// keptTests is for how many results memory is kept between messages, some 1 MiB: a message of
// nothing but empty results has millions.
const keptTests = 4096

// dropTests forgets the results of the previous message.
func (b *Batch) dropTests() {
	if cap(b.Tests) > keptTests {
		b.Tests, b.Unknown = nil, nil
		return
	}
	clear(b.Tests)
	b.Tests, b.Unknown = b.Tests[:0], b.Unknown[:0]
}

// unmarshalAll leaves a whole message to package proto.
func (b *Batch) unmarshalAll(data []byte) error {
	b.dropTests()
	if err := proto.Unmarshal(data, &b.Rest); err != nil {
		return err
	}
	for _, m := range b.Rest.GetTests() {
		b.addTest(decodeTest(m), int32(m.GetStatus()))
	}
	b.Rest.Tests = nil
	return nil
}

func (b *Batch) addTest(t sdk.TestResult, status int32) {
	if t.Status != "" {
		status = 0
	}
	b.Tests, b.Unknown = append(b.Tests, t), append(b.Unknown, status)
}

func (b *Batch) unmarshalTest(data []byte) error {
	var t sdk.TestResult
	status, plain := b.decodePlainTest(data, &t)
	if plain {
		t.Status = decodeStatus(pb.Status(status))
		b.addTest(t, status)
		return nil
	}
	var m pb.TestResult
	if err := proto.Unmarshal(data, &m); err != nil {
		return err
	}
	b.addTest(decodeTest(&m), int32(m.GetStatus()))
	return nil
}

// decodePlainTest decodes a result without measures and attributes, in which no message
// occurs twice. If it gives up, it returns false, and the contents of t are meaningless.
func (b *Batch) decodePlainTest(data []byte, t *sdk.TestResult) (status int32, plain bool) {
	var hasID, hasLocation bool
	for len(data) > 0 {
		f, rest, ok := cutField(data)
		if !ok {
			return 0, false
		}
		data = rest
		switch f.tag {
		case testStatus:
			status = int32(f.number)
		case testElapsed:
			t.Elapsed = decodeNanos(int64(f.number))
		case testContainer:
			t.Container = protowire.DecodeBool(f.number)
		case testDerived:
			t.Derived = protowire.DecodeBool(f.number)
		case testFixture:
			t.Fixture = protowire.DecodeBool(f.number)
		case testEnded:
			t.Ended = protowire.DecodeBool(f.number)
		case testID:
			ok, hasID = !hasID && b.decodePlainID(f.bytes, &t.TestID), true
		case testLocation:
			ok, hasLocation = !hasLocation && b.decodePlainLocation(f.bytes, &t.Location), true
		case testRoot:
			t.Root, ok = takeText(f.bytes, &b.root)
		case testBody:
			t.Body, ok = takeText(f.bytes, new(string))
		default:
			ok = false
		}
		if !ok {
			return 0, false
		}
	}
	return status, true
}

func (b *Batch) decodePlainID(data []byte, id *sdk.TestID) bool {
	for len(data) > 0 {
		f, rest, ok := cutField(data)
		if !ok {
			return false
		}
		data = rest
		switch f.tag {
		case idSuite:
			id.Suite, ok = takeText(f.bytes, &b.suite)
		case idName:
			id.Test, ok = takeText(f.bytes, new(string))
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

func (b *Batch) decodePlainLocation(data []byte, l *sdk.Location) bool {
	for len(data) > 0 {
		f, rest, ok := cutField(data)
		if !ok {
			return false
		}
		data = rest
		switch f.tag {
		case locationFile:
			l.File, ok = takeText(f.bytes, &b.file)
		case locationLine:
			l.Line = decodeCount(int32(f.number))
		case locationColumn:
			l.Column = decodeCount(int32(f.number))
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

// field is a field of a message with its tag, and its number or bytes.
type field struct {
	tag    uint64
	number uint64
	bytes  []byte
}

// cutField cuts a number or bytes off the front of a message.
func cutField(data []byte) (f field, rest []byte, ok bool) {
	tag, n := protowire.ConsumeVarint(data)
	if n < 0 {
		return f, nil, false
	}
	f.tag, data = tag, data[n:]
	switch protowire.Type(tag & 7) {
	case protowire.VarintType:
		f.number, n = protowire.ConsumeVarint(data)
	case protowire.BytesType:
		f.bytes, n = protowire.ConsumeBytes(data)
	default:
		return f, nil, false
	}
	if n < 0 {
		return f, nil, false
	}
	return f, data[n:], true
}

// takeText returns a valid text; false if it is invalid. It is that of last if they are
// equal, and otherwise becomes the last.
func takeText(text []byte, last *string) (string, bool) {
	if string(text) == *last {
		return *last, true
	}
	if !utf8.Valid(text) {
		return "", false
	}
	*last = string(text)
	return *last, true
}
