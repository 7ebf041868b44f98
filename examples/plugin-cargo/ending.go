package cargotest

import (
	"fmt"

	"github.com/proctorhq/proctor/sdk"
)

func (p *parser) blame(id sdk.TestID, at sdk.Location, kind, message string) {
	p.red = true
	f := sdk.Failure{TestID: id, Kind: kind, Location: at, Message: message, Output: p.told.error()}
	if at.Line > 0 {
		f.Precision = sdk.PrecisionDeclarationOnly
	}
	p.sink.Failure(f)
}

// ending says in words how a test binary ended.
func (t *told) ending(exit sdk.Exit) (kind, why string) {
	switch {
	case exit.TimedOut:
		return sdk.KindTimeout, "the time was up"
	case exit.Cancelled:
		return sdk.KindSignal, "the run was broken off"
	case t.overflowed != "":
		return sdk.KindFatal, fmt.Sprintf("thread '%s' has overflowed its stack", t.overflowed)
	case t.signal() != "":
		return sdk.KindSignal, "the test binary was ended by " + t.signal()
	case t.process != "":
		return sdk.KindExit, "the test binary ended with " + t.process
	case exit.Unknown:
		return sdk.KindExit, "the output ended"
	case exit.Signal != "":
		return sdk.KindSignal, "cargo was ended by " + exit.Signal
	}
	return sdk.KindExit, "the test binary ended with " + describe(exit)
}

// describe names an exit as cargo does.
func describe(exit sdk.Exit) string {
	switch {
	case exit.TimedOut:
		return "the time up"
	case exit.Cancelled:
		return "the run broken off"
	case exit.Signal != "":
		return exit.Signal
	}
	return fmt.Sprintf("exit status: %d", exit.Code)
}
