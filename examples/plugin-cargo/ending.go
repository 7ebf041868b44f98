package cargotest

import (
	"fmt"

	"github.com/proctorhq/proctor/sdk"
)

func (p *parser) blame(id sdk.TestID, at sdk.Location, kind, message string) {
	p.explained = true
	f := sdk.Failure{TestID: id, Kind: kind, Location: at, Message: message, Output: p.stderr.error()}
	if at.Line > 0 {
		f.Precision = sdk.PrecisionDeclarationOnly
	}
	p.sink.Failure(f)
}

// ending returns the kind of failure for the way a test binary ended, and describes it.
func (t *stderrReader) ending(exit sdk.Exit) (kind, why string) {
	switch {
	case exit.TimedOut:
		return sdk.KindTimeout, "the time limit was reached"
	case exit.Cancelled:
		return sdk.KindSignal, "the run was cancelled"
	case t.overflowed != "":
		return sdk.KindFatal, fmt.Sprintf("thread '%s' has overflowed its stack", t.overflowed)
	case t.signal() != "":
		return sdk.KindSignal, "the test binary was killed by " + t.signal()
	case t.process != "":
		return sdk.KindExit, "the test binary ended with " + t.process
	case exit.Unknown:
		return sdk.KindExit, "the output ended"
	case exit.Signal != "":
		return sdk.KindSignal, "cargo was killed by " + exit.Signal
	}
	return sdk.KindExit, "the test binary ended with " + describeExit(exit)
}

// describeExit describes how a command ended, in cargo's words.
func describeExit(exit sdk.Exit) string {
	switch {
	case exit.TimedOut:
		return "a timeout"
	case exit.Cancelled:
		return "a cancellation"
	case exit.Signal != "":
		return exit.Signal
	}
	return fmt.Sprintf("exit status: %d", exit.Code)
}
