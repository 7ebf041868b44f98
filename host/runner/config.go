package runner

import (
	"context"
	"io"
	"time"

	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// chunkSize bounds what a sink receives at once. A gRPC message with a payload of
	// 32 KiB falls into a buffer tier of 1 MiB that is zeroed for each message, which
	// halves the speed: this leaves room for the frame around it.
	chunkSize = 32*1024 - 64

	// defaultGrace is enough to print the stacks of thousands of goroutines.
	defaultGrace = 5 * time.Second
)

// Sink takes output. It is called from one goroutine, and data is only valid
// during the call. While it blocks, so does the command. An error ends the
// calls, not the command.
//
// ctx outlives a cancelled run, so that the last output still arrives. It is
// cancelled if the sink takes too long for the rest after the command was killed;
// the sink must return then.
type Sink func(ctx context.Context, stream sdk.Stream, data []byte) error

// Config says what to run.
type Config struct {
	// Argv is the absolute path of the program, and its arguments.
	Argv []string
	// Dir is the working directory; empty means the host's.
	Dir string
	// Env is the whole environment: nothing is inherited, and nil means empty.
	Env []string
	// Deadline is the time after which the command is stopped; 0 means never. A
	// negative one, from a difference of times, has passed already.
	Deadline time.Duration
	// Grace is the time between the signal that asks for stacks and the one that kills;
	// 0 means defaultGrace.
	Grace time.Duration
	// MaxData bounds the memory of each process of the command in bytes; 0 means no
	// bound. Only Linux supports it.
	MaxData uint64
	// Group is where the command starts; nil means in a new one.
	Group *procgroup.Prepared
	// Sink, if set, receives every byte, in order within a stream, and as it arrived
	// across both.
	Sink Sink
	// RecordStdout and RecordStderr, if set, receive the same bytes.
	RecordStdout, RecordStderr io.Writer
}

// limits are the times that a caller does not choose.
type limits struct {
	// coalesce is how long the first byte of a chunk waits for others. `go test -json`
	// writes each event separately: a million events would be 100,000 chunks instead of
	// some thousand, and no reader notices 10 ms.
	coalesce time.Duration
	// nap is how long to sleep between two reads of a chunk, so that not every event
	// wakes up a reader. The fastest producer fills a tenth of a wide pipe meanwhile;
	// it would fill a normal one, so there is no nap there. It is short because it
	// delays the end of the output.
	nap time.Duration
	// cancelGrace is what `go test` needs to finish its output after an interrupt. It
	// is shorter than the grace of a deadline, as somebody is waiting.
	cancelGrace time.Duration
	// silence is how long output may stay open and silent after the command has ended:
	// a buffering child writes the rest within it.
	silence time.Duration
	// linger is how long leftover processes may go on writing after the command ended.
	linger time.Duration
	// drain is how long a sink may take for the rest after a kill: a few MiB at most,
	// so a second is ample for one that works.
	drain time.Duration
	// stuck is how long a killed command may take to disappear. Freeing a huge amount
	// of memory takes seconds; this is for one that never ends.
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
