// Package runner executes one command and hands on what it prints.
//
// It gives every byte of both streams to a sink, live, keeps a bounded part for
// a reader, and sees to it that the command ends: on a deadline, on a cancel,
// and when something it left behind still holds its output. Read [Run] first,
// then supervisor.go.
//
// It is not responsible for composing a command or finding its program
// (host/workspace), for understanding output (plugins), or for judging how the
// command ended (host/verdict). How a process group ends is host/procgroup's.
//
// Without read deadlines on pipes, as on Windows, output is handed on as it is
// read instead of being collected for a moment, and the time that leftovers may
// hold the output counts from the end of the command, not from the last output.
package runner
