// Package lcov reads tracefiles in the format of LCOV (see geninfo(1), "TRACEFILE
// FORMAT") as `forge coverage --report lcov` writes them: which lines of which
// sources have code, and how often each was executed.
//
// Functions and branches are left out: forge counts them by the same places. The
// package reads no sources.
package lcov
