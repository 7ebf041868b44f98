package sdk

import "github.com/proctorhq/proctor/sdk/internal/fit"

// Sizes of the protocol, in bytes. Texts beyond a limit are cut and end in
// [TruncationMark]; nothing that a plugin reports is refused for its size.
const (
	// MaxMessage is the largest gRPC message, in both directions. It is gRPC's
	// own default, which every language's library takes without settings. What
	// is bigger is streamed.
	MaxMessage = 4 << 20
	// MaxChunk is the largest OutputChunk that a plugin must accept.
	MaxChunk = 64 << 10
	// SendChunk is the largest OutputChunk that this package's client sends.
	// With its header it stays below 32 KiB, above which grpc-go takes buffers
	// of 1 MiB and clears each of them.
	SendChunk = 32<<10 - 64
	// MaxName bounds the suite and the name of a TestID, file names and
	// functions. A longer name is cut and ends in a hash of the whole, so that
	// different tests stay different.
	MaxName = fit.MaxName
	// MaxText bounds one message, note, error or side of a diff.
	MaxText = fit.MaxText
	// MaxOutput bounds Failure.Output.
	MaxOutput = fit.MaxOutput
	// MaxSample bounds Unread.Sample.
	MaxSample = fit.MaxSample
	// MaxSources bounds the source files of a ScaffoldRequest together: with
	// their paths they fit into a message.
	MaxSources = 2 << 20
	// MaxProbe bounds the output of a probe.
	MaxProbe = 256 << 10
	// MaxBlocks is the number of blocks of one suite.
	MaxBlocks = 4 << 20
	// MaxMeasures is the number of measures of one test.
	MaxMeasures = 64
	// MaxRunning is the number of tests in a Progress.
	MaxRunning = fit.MaxRunning
)

// TruncationMark ends every text that was cut.
const TruncationMark = fit.TruncationMark
