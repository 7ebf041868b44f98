package api

import "time"

// RawOutput is one run's output as the seed's run_tests shows it.
type RawOutput struct {
	// Stdout and Stderr are already capped.
	Stdout, Stderr string
	TimedOut       bool
	Limit          time.Duration
	ExitCode       int
	// NoExit is as in [NoExit]: there is no exit code.
	NoExit bool
	// Unrecorded: no output of the run is on record.
	Unrecorded bool
}
