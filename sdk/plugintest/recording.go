package plugintest

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// Recording is what a command once printed and how it ended.
type Recording struct {
	// Name tells recordings apart in the names of tests.
	Name string
	// Run is what the parser is told at the start.
	Run sdk.RunInfo
	// Pieces are the output, in the order in which it was printed.
	Pieces []Piece
	Exit   sdk.Exit
}

// Piece is output of one stream.
type Piece struct {
	Stream sdk.Stream
	Data   []byte
}

// ReadRecording returns the recording of a standard output in a file.
func ReadRecording(t testing.TB, path string, exit sdk.Exit) Recording {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Stdout(path, data, exit)
}

// Stdout is the recording of a standard output.
func Stdout(name string, data []byte, exit sdk.Exit) Recording {
	return Recording{Name: name, Pieces: []Piece{{Stream: sdk.Stdout, Data: data}}, Exit: exit}
}

// Chunking is how output is cut into chunks. Positive numbers are sizes.
type Chunking int

const (
	// WholeChunks sends every piece in one call, which the client cuts as a
	// host does.
	WholeChunks Chunking = 0
	// RandomChunks sends chunks of 1 to maxRandomChunk bytes.
	RandomChunks Chunking = -1
)

// maxRandomChunk splits most lines of a runner somewhere.
const maxRandomChunk = 97

// cut returns the chunks of data.
func (c Chunking) cut(data []byte) [][]byte {
	if c == WholeChunks {
		return [][]byte{data}
	}
	var chunks [][]byte
	random := rand.New(rand.NewPCG(1, uint64(len(data)))) // the same in every run
	for len(data) > 0 {
		n := int(c)
		if c == RandomChunks {
			n = 1 + random.IntN(maxRandomChunk)
		}
		n = min(n, len(data))
		chunks, data = append(chunks, data[:n]), data[n:]
	}
	return chunks
}
