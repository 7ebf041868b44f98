package plugintest

import (
	"os"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// Types that make up recordings; see package golden.
type (
	Recording = golden.Recording
	Piece     = golden.Piece
	Chunking  = golden.Chunking
	// Events is everything a parser reported.
	Events = golden.Events
	// Listing is everything a list parser reported.
	Listing = golden.Listing
	// Coverage is everything a reader of coverage reported.
	Coverage = golden.Coverage
	// Outlines is everything an outliner reported.
	Outlines = golden.Outlines
)

// Chunkings without a fixed size.
const (
	WholeChunks  = golden.WholeChunks
	RandomChunks = golden.RandomChunks
)

// ReadRecording returns a file as a recording of standard output.
func ReadRecording(t testing.TB, path string, exit sdk.Exit) Recording {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Stdout(path, data, exit)
}

// ReadCases returns the cases in a directory.
func ReadCases(t testing.TB, dir string) []golden.Case {
	t.Helper()
	cases, err := golden.ReadCases(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// Stdout returns a recording of standard output.
func Stdout(name string, data []byte, exit sdk.Exit) Recording {
	return golden.Stdout(name, data, exit)
}
