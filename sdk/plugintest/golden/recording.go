package golden

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/proctorhq/proctor/sdk"
)

// Recording is what a command once printed and how it ended.
type Recording struct {
	// Name distinguishes recordings in the names of tests.
	Name string
	// Run is what the parser receives at the start.
	Run sdk.RunInfo
	// Pieces are the output, in the order in which it was printed.
	Pieces []Piece
	Exit   sdk.Exit
	// Dependencies reports whether the command is one of a ListRequest with
	// Dependencies.
	Dependencies bool
}

// Piece is output of one stream.
type Piece struct {
	Stream sdk.Stream
	Data   []byte
}

// Stdout returns a recording of standard output.
func Stdout(name string, data []byte, exit sdk.Exit) Recording {
	return Recording{Name: name, Pieces: []Piece{{Stream: sdk.Stdout, Data: data}}, Exit: exit}
}

// Size returns the number of bytes in all pieces.
func (r Recording) Size() int {
	n := 0
	for _, piece := range r.Pieces {
		n += len(piece.Data)
	}
	return n
}

// Mentions reports whether the output contains the longest word of a name: runners
// write names in several ways.
func (r Recording) Mentions(name string) bool {
	longest := ""
	for _, word := range strings.FieldsFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return longest != "" && slices.ContainsFunc(r.Pieces, func(p Piece) bool { return bytes.Contains(p.Data, []byte(longest)) })
}

// Cut returns the recording with only its first size bytes.
func (r Recording) Cut(size int) Recording {
	var short []Piece
	for _, piece := range r.Pieces {
		n := min(len(piece.Data), size)
		short = append(short, Piece{piece.Stream, piece.Data[:n]})
		size -= n
	}
	r.Pieces = short
	return r
}

// Chunking is how output is split into chunks. Positive numbers are sizes.
type Chunking int

const (
	// WholeChunks sends each piece in one call, which the client splits like a host.
	WholeChunks Chunking = 0
	// RandomChunks sends chunks of 1 to maxRandomChunk bytes.
	RandomChunks Chunking = -1
)

// maxRandomChunk is short enough to split most lines of a runner.
const maxRandomChunk = 97

// Cut returns the chunks of data.
func (c Chunking) Cut(data []byte) [][]byte {
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
