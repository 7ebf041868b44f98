// Package lcov reads tracefiles in the format of LCOV (see geninfo(1), "TRACEFILE
// FORMAT") as `forge coverage --report lcov` writes them: which lines of which
// sources have code, and how often each was executed.
//
// It skips functions and branches, which forge derives from the same counts, and
// reads no sources.
package lcov
