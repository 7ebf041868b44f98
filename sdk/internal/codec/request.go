package codec

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// Request is a message of a parse stream as a plugin reads it. Nearly all are chunks of
// output, which stay where they were received. It is used again when the chunk was read.
type Request struct {
	Message pb.ParseTestFailuresRequest
	// Received is the encoded message. Its storage is used again, too.
	Received []byte

	piece pb.ParseTestFailuresRequest_Chunk
	chunk pb.OutputChunk
}

// Tags of ParseTestFailuresRequest and OutputChunk.
const (
	requestChunk = 2<<3 | uint64(protowire.BytesType)

	chunkStream = 1<<3 | uint64(protowire.VarintType)
	chunkData   = 2<<3 | uint64(protowire.BytesType)
)

// Unmarshal decodes Received. A chunk aliases it.
func (r *Request) Unmarshal() error {
	if f, rest, ok := cutField(r.Received); ok && f.tag == requestChunk && len(rest) == 0 && r.decodePlainChunk(f.bytes) {
		r.piece.Chunk = &r.chunk
		r.Message.Message = &r.piece
		return nil
	}
	return proto.Unmarshal(r.Received, &r.Message)
}

func (r *Request) decodePlainChunk(data []byte) bool {
	r.chunk.Stream, r.chunk.Data = 0, nil
	for len(data) > 0 {
		f, rest, ok := cutField(data)
		if !ok {
			return false
		}
		data = rest
		switch f.tag {
		case chunkStream:
			r.chunk.Stream = pb.Stream(int32(f.number))
		case chunkData:
			r.chunk.Data = f.bytes
		default:
			return false
		}
	}
	return true
}
