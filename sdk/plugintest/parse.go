package plugintest

import (
	"context"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// patience is how long one parse may take. A parser works as fast as its runner
// prints; this is for one that hangs.
const patience = 30 * time.Second

// Parse feeds a recording and returns what the parser reported.
func Parse(t testing.TB, d *client.Detector, r Recording, chunks Chunking) *Events {
	t.Helper()
	events, err := TryParse(t.Context(), d, r, chunks)
	if err != nil {
		t.Fatalf("parsing %s in chunks of %d: %v", r.Name, chunks, err)
	}
	return events
}

// TryParse is Parse for parses that may fail.
func TryParse(ctx context.Context, d *client.Detector, r Recording, chunks Chunking) (*Events, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return golden.Play(ctx, d, r, chunks)
}

// ParseList feeds the recorded output of a listing command.
func ParseList(t testing.TB, d *client.Detector, req sdk.ListRequest, r Recording, chunks Chunking) *Listing {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	listing, err := golden.PlayList(ctx, d, req, r, chunks)
	if err != nil {
		t.Fatalf("parsing the listing %s in chunks of %d: %v", r.Name, chunks, err)
	}
	return listing
}
