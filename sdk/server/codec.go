package server

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// streamCodec is gRPC's codec, which also encodes a [codec.Report] and decodes a
// [codec.Request].
type streamCodec struct{ encoding.CodecV2 }

func (c streamCodec) Marshal(v any) (mem.BufferSlice, error) {
	report, ok := v.(*codec.Report)
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	size := report.Size()
	if mem.IsBelowBufferPoolingThreshold(size) {
		b, err := report.Append(make([]byte, 0, size))
		return mem.BufferSlice{mem.SliceBuffer(b)}, err
	}
	pool := mem.DefaultBufferPool()
	buffer := pool.Get(size)
	b, err := report.Append((*buffer)[:0])
	if err != nil {
		pool.Put(buffer)
		return nil, err
	}
	*buffer = b
	return mem.BufferSlice{mem.NewBuffer(buffer, pool)}, nil
}

func (c streamCodec) Unmarshal(data mem.BufferSlice, v any) error {
	request, ok := v.(*codec.Request)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	size := data.Len()
	if cap(request.Received) < size {
		request.Received = make([]byte, size)
	}
	request.Received = request.Received[:size]
	data.CopyTo(request.Received)
	return request.Unmarshal()
}
