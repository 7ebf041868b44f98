// Package golden holds recorded outputs of test runners, plays them to a plugin,
// and compares what it reports with what was written down.
//
// A [Recording] is an output; a [Case] is one in a directory, with its [Want];
// [Events] are a plugin's report. sdk/PROTOCOL.md describes the files. The
// package is not responsible for starting plugins, nor for the rules that hold
// whatever was recorded: those are in package conform.
package golden
