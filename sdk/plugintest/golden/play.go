package golden

import (
	"context"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// Play feeds a recording to a parser and returns its report, even with an error.
func Play(ctx context.Context, d *client.Detector, r Recording, chunks Chunking) (*Events, error) {
	events := new(Events)
	stream, err := d.Parse(ctx, r.Run, client.ParseOptions{}, events)
	if err != nil {
		return events, err
	}
	return events, sendRecording(stream, r, chunks)
}

// PlayList feeds the recorded output of a listing command, with dependencies if it was
// recorded with them.
func PlayList(ctx context.Context, d *client.Detector, req sdk.ListRequest, r Recording, chunks Chunking) (*Listing, error) {
	req.Dependencies = req.Dependencies || r.Dependencies
	listing := new(Listing)
	stream, err := d.ParseList(ctx, req, r.Run.Command, listing)
	if err != nil {
		return listing, err
	}
	return listing, sendRecording(stream, r, chunks)
}

func sendRecording(stream *client.ParseStream, r Recording, chunks Chunking) error {
	defer stream.Cancel()
	for _, piece := range r.Pieces {
		for _, chunk := range chunks.Cut(piece.Data) {
			if err := stream.Send(piece.Stream, chunk); err != nil {
				return err
			}
		}
	}
	return stream.Close(r.Exit)
}
