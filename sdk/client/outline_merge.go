package client

import (
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// outlineMerger reassembles files from messages that hold consecutive parts. A file is
// complete when the next one begins or the stream ends.
type outlineMerger struct {
	sink  sdk.OutlineSink
	limit int
	open  bool
	next  sdk.OutlinedFile
	cost  int
}

func (o *outlineMerger) add(m *pb.OutlinedFile) error {
	if o.open && o.next.File != m.GetFile() {
		o.deliver()
	}
	if !o.open {
		o.open, o.next, o.cost = true, sdk.OutlinedFile{File: m.GetFile()}, 0
	}
	for _, u := range m.GetUnits() {
		o.cost += proto.Size(u) + unitCost
		o.next.Units = append(o.next.Units, codec.DecodeUnit(u))
	}
	if o.cost > o.limit {
		return &TooMuchError{What: "the outline of " + o.next.File, Limit: o.limit}
	}
	return nil
}

func (o *outlineMerger) deliver() {
	if o.open {
		whole := o.next
		o.open, o.next = false, sdk.OutlinedFile{}
		o.sink.File(whole)
	}
}
