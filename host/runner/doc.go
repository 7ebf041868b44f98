// Package runner executes one command and passes on its output.
//
// It passes every byte of both streams to a sink, live, keeps a bounded part for
// a reader, and makes sure that the command ends: on a deadline, on a cancel,
// and when a leftover process still holds its output. Read [Run] first, then
// supervisor.go.
//
// It does not compose commands or find programs (host/workspace), understand
// output (plugins), or judge how the command ended (host/verdict). How a process
// group ends is up to host/procgroup.
//
// Without read deadlines on pipes, as on Windows, output is passed on as it is
// read instead of being collected for a moment, and the time that leftovers may
// hold the output counts from the end of the command, not from the last output.
package runner
