package golden

import (
	"iter"
	"math"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// Requests returns the messages of a recording as they are on the wire, for callers
// that want the plugin's own messages back.
func (r Recording) Requests() iter.Seq[*pb.ParseTestFailuresRequest] {
	return func(yield func(*pb.ParseTestFailuresRequest) bool) {
		if !yield(&pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Start{Start: r.start()}}) {
			return
		}
		for _, piece := range r.Pieces {
			stream := pb.Stream_STREAM_STDOUT
			if piece.Stream == sdk.Stderr {
				stream = pb.Stream_STREAM_STDERR
			}
			for _, data := range Chunking(sdk.MaxChunk).Cut(piece.Data) {
				if !yield(&pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Chunk{Chunk: &pb.OutputChunk{Stream: stream, Data: data}}}) {
					return
				}
			}
		}
		yield(&pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Exit{Exit: &pb.RunExit{
			Code: int32(min(max(r.Exit.Code, math.MinInt32), math.MaxInt32)), Signal: r.Exit.Signal,
			TimedOut: r.Exit.TimedOut, Cancelled: r.Exit.Cancelled, Unknown: r.Exit.Unknown,
		}}})
	}
}

func (r Recording) start() *pb.RunStart {
	c := r.Run.Command
	start := &pb.RunStart{
		Workspace: &pb.Workspace{Root: r.Run.Workspace.Root, Tools: r.Run.Workspace.Tools, Env: r.Run.Workspace.Env},
		Command:   &pb.Command{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Prepares: c.Prepares},
	}
	for _, id := range c.Targets {
		start.Command.Targets = append(start.Command.Targets, &pb.TestId{Suite: id.Suite, Name: id.Test})
	}
	for name, p := range r.Run.Workspace.Probes {
		if start.Workspace.Probes == nil {
			start.Workspace.Probes = map[string]*pb.ProbeOutput{}
		}
		start.Workspace.Probes[name] = &pb.ProbeOutput{Stdout: p.Stdout, Stderr: p.Stderr, ExitCode: int32(p.ExitCode)}
	}
	return start
}
