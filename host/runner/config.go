package runner

import (
	"context"
	"io"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// ChunkSize is the most that a sink is given at once. A gRPC message with a
	// payload of 32 KiB falls into a buffer tier of 1 MiB that is zeroed for
	// each message, at half the speed: this leaves room for the frame around it.
	ChunkSize = 32*1024 - 64

	// DefaultGrace is enough to print the stacks of thousands of goroutines.
	DefaultGrace = 5 * time.Second
)

// Sink takes output. It is called from one goroutine, and data is only valid
// during the call. While it blocks, so does the command. An error ends the
// calls, not the command.
//
// ctx outlives a cancelled run, so that the last output still arrives. It is
// cancelled when the command was killed and the sink then took too long for
// what was left; the sink must return then.
type Sink func(ctx context.Context, stream sdk.Stream, data []byte) error

// Config says what to run.
type Config struct {
	// Argv is the program, an absolute path, and its arguments.
	Argv []string
	// Dir is the working directory; empty is the host's.
	Dir string
	// Env is the whole environment: nothing is inherited, and nil is empty.
	Env []string
	// Deadline is the time after which the command is stopped; 0 is none. A
	// negative one, as of a difference of times, has passed already.
	Deadline time.Duration
	// Grace is the time between the signal that asks for stacks and the one
	// that kills; 0 is DefaultGrace.
	Grace time.Duration
	// MaxData bounds the memory of each process of the command, in bytes; 0 does
	// not. Only Linux does it.
	MaxData uint64
	// Sink takes every byte, if it is set: in order within a stream, and as it
	// arrived over both.
	Sink Sink
	// RecordStdout and RecordStderr take the same bytes, if they are set.
	RecordStdout, RecordStderr io.Writer
}

// limits are the times that a caller does not choose.
type limits struct {
	// coalesce is how long the first byte of a chunk waits for others. `go test
	// -json` writes each event by itself: without it a million events are
	// 100,000 chunks, with it some thousand, and no reader notices 10 ms.
	coalesce time.Duration
	// nap is how long to sleep between two reads of a chunk, so that not every
	// event wakes up a reader. Within it the fastest producer fills a tenth of a
	// wide pipe; it would fill a usual one, so there is no nap there. It is short,
	// because it delays the end of the output.
	nap time.Duration
	// cancelGrace is what `go test` needs to end its output after an interrupt.
	// It is shorter than the grace of a deadline, as somebody is waiting.
	cancelGrace time.Duration
	// silence is how long output may stay open and silent after the command
	// has ended: what a buffering child still has to say comes within it.
	silence time.Duration
	// linger is how long leftovers may go on writing after the command ended.
	linger time.Duration
	// drain is how long a sink may take for what is left after a kill: a few
	// MiB at most, so a second is ample for one that works.
	drain time.Duration
	// stuck is how long a killed command may take to be gone. Freeing the
	// memory of a huge one takes seconds; this is for one that never will be.
	stuck time.Duration
}

func defaultLimits() limits {
	return limits{
		coalesce:    10 * time.Millisecond,
		nap:         2 * time.Millisecond,
		cancelGrace: 3 * time.Second,
		silence:     2 * time.Second,
		linger:      10 * time.Second,
		drain:       5 * time.Second,
		stuck:       30 * time.Second,
	}
}
