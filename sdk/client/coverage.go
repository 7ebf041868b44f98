package client

import (
	"context"
	"errors"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// Witness may be implemented by a sink of ParseCoverage and Outline. It is called for
// each message as it arrives, as a sign of life: a suite may take many messages.
type Witness interface {
	Arrived()
}

// IndexCmd asks for the commands that find out which lines each test executes. It
// requires Identity.Index.
func (d *Detector) IndexCmd(ctx context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	m, err := d.rpc.IndexCmd(ctx, codec.EncodeIndexRequest(req))
	return codec.DecodePlan(m), codec.DecodeError(err)
}

// ParseCoverage has the plugin read the files that a command left. It requires
// Identity.Cover or Identity.Index. The sink is called from this goroutine, with each
// suite once it is complete; one that the plugin began and did not end is reported as
// an error. What was reported before an error counts. If the plugin reports more than a
// host can keep, the error is a [*TooMuchError].
func (d *Detector) ParseCoverage(ctx context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rpc, err := d.rpc.ParseCoverage(ctx, codec.EncodeCoverageRequest(req))
	if err != nil {
		return codec.DecodeError(err)
	}
	merger := coverageMerger{sink: sink, limit: maxWhole}
	err = drainStream(rpc.Recv, sink, maxStream, func(m *pb.ParseCoverageResponse) error {
		for _, suite := range m.GetSuites() {
			if err := merger.add(suite); err != nil {
				return err
			}
		}
		for _, text := range m.GetErrors() {
			sink.Error(text)
		}
		return nil
	})
	merger.giveUp()
	return codec.DecodeError(err)
}

// maxRequestFiles bounds the names in one request for outlines.
const maxRequestFiles = 1 << 20

// Outline asks for the declarations of source files. It requires Identity.Outline. The
// sink is called from this goroutine, with each file once it is complete. What was
// reported before an error counts. If the plugin reports more than a host can keep, the
// error is a [*TooMuchError].
func (d *Detector) Outline(ctx context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	files := fit.Args(req.Files)
	for len(files) > 0 {
		size, n := 0, 0
		for n < len(files) && (n == 0 || size+len(files[n]) <= maxRequestFiles) {
			size += len(files[n]) + nameCost
			n++
		}
		if err := d.outline(ctx, req.Workspace, files[:n], sink); err != nil {
			return err
		}
		files = files[n:]
	}
	return nil
}

// outline asks about as many files as one request may name.
func (d *Detector) outline(ctx context.Context, ws sdk.Workspace, files []string, sink sdk.OutlineSink) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rpc, err := d.rpc.Outline(ctx, &pb.OutlineRequest{Workspace: codec.EncodeWorkspace(ws), Files: files})
	if err != nil {
		return codec.DecodeError(err)
	}
	merger := outlineMerger{sink: sink, limit: maxWhole}
	err = drainStream(rpc.Recv, sink, maxStream, func(m *pb.OutlineResponse) error {
		for _, f := range m.GetFiles() {
			if err := merger.add(f); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		merger.deliver() // an interrupted file does not count
	}
	return codec.DecodeError(err)
}

// drainStream receives messages until the plugin ends the stream, or exceeds a limit in
// bytes. A caller that leaves the call earlier ends its context.
func drainStream[M any, P interface {
	*M
	proto.Message
}](receive func() (P, error), sink any, limit int, take func(P) error) error {
	witness, _ := sink.(Witness)
	total := 0
	for {
		m, err := receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if witness != nil {
			witness.Arrived()
		}
		if total += proto.Size(m) + messageCost; total > limit {
			return &TooMuchError{What: "the answer", Limit: limit}
		}
		if err := take(m); err != nil {
			return err
		}
	}
}
