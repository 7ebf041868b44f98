package sdk

import "github.com/proctorhq/proctor/sdk/internal/fit"

// Sizes of the protocol, in bytes. Longer texts are truncated and end in
// [TruncationMark]; nothing that a plugin reports is rejected for its size.
const (
	// MaxMessage is the largest gRPC message, in both directions. It is gRPC's own
	// default, accepted by every language's library without settings. Anything bigger
	// is streamed.
	MaxMessage = 4 << 20
	// MaxChunk is the largest OutputChunk that a plugin must accept.
	MaxChunk = 64 << 10
	// SendChunk is the largest OutputChunk that this package's client sends. With its
	// header it stays below 32 KiB, above which grpc-go uses and clears buffers of 1
	// MiB.
	SendChunk = 32<<10 - 64
	// SendFile is the largest OutputFile that this package's client sends: some
	// milliseconds of a parser's time.
	SendFile = 1 << 20
	// MaxName bounds the suite and the name of a TestID, file names and functions. A
	// longer name is cut and ends in a hash of the whole, so that different tests stay
	// different.
	MaxName = fit.MaxName
	// MaxText bounds one message, note, error or side of a diff.
	MaxText = fit.MaxText
	// MaxOutput bounds Failure.Output.
	MaxOutput = fit.MaxOutput
	// MaxSample bounds Unread.Sample.
	MaxSample = fit.MaxSample
	// MaxSources bounds the total size of a ScaffoldRequest's source files: with their
	// paths they fit into a message.
	MaxSources = 2 << 20
	// MaxProbe bounds the output of a probe.
	MaxProbe = 256 << 10
	// MaxBlocks bounds the blocks of one suite.
	MaxBlocks = 4 << 20
	// MaxMeasures bounds the measures of one test.
	MaxMeasures = 64
	// MaxRunning bounds the tests and the suites in a Progress.
	MaxRunning = fit.MaxRunning
)

// TruncationMark ends every truncated text.
const TruncationMark = fit.TruncationMark
