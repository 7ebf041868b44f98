package api

import "time"

// FailuresPage is a part of a run's failures.
type FailuresPage struct {
	// Run carries the failures of the page; FailuresTotal counts all of them.
	Run Run
	// Age is how long ago the run ended.
	Age time.Duration
	// Recorded is how many failures are on record: less than there were where the
	// record was cut.
	Recorded int
	// Notes say what the answer cannot rely on: a record that is gone or cannot be
	// read. They are among the run's warnings, too.
	Notes []string
}

// TestOutput is one test's whole output.
type TestOutput struct {
	Run  Run
	Test Test
	Text string
	// Truncated: the record or the answer was cut.
	Truncated bool
}

// Stream is one of a runner's output streams, or both.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	// BothStreams are the standard output and then the standard error.
	BothStreams Stream = "output"
)

// StreamPage is a part of what a run's commands printed, as it is on record.
type StreamPage struct {
	Run Run
	// Offset is where the part begins and Total how long the whole is, in bytes.
	// StderrAt is where the standard error begins in both streams.
	Offset, Total, StderrAt int64
	// Text is the part. It neither begins nor ends within a character.
	Text string
	// Unrecorded: no output of the run is on record.
	Unrecorded bool
}

// Next is where the following part begins; 0 is none.
func (p StreamPage) Next() int64 {
	if end := p.Offset + int64(len(p.Text)); end < p.Total {
		return end
	}
	return 0
}
