package client

import (
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// outlineMerger puts files together again, of which messages hold parts that follow
// each other. A file is whole when the next one begins or the stream ends.
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
		o.next.Units = append(o.next.Units, unitFrom(u))
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

// unitFrom takes a kind that this host does not know for the one that matters most.
func unitFrom(m *pb.SourceUnit) sdk.SourceUnit {
	kind := sdk.UnitKind(m.GetKind())
	if kind < sdk.UnitDeclaration || kind > sdk.UnitTest {
		kind = sdk.UnitDeclaration
	}
	return sdk.SourceUnit{
		Name: m.GetName(), Kind: kind, StartLine: int(m.GetStartLine()), EndLine: int(m.GetEndLine()),
		Digest: m.GetDigest(), Test: m.GetTest(), Positions: m.GetPositions(), Measuring: m.GetMeasuring(),
		State: sdk.UnitState{
			Defines: m.GetDefines(), Mentions: m.GetMentions(), Writes: m.GetWrites(),
			Lends: m.GetLends(), Shared: m.GetShared(), Leaves: m.GetLeaves(),
		},
	}
}
