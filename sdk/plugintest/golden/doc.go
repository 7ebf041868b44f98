// Package golden reads recorded outputs of test runners, plays them to a plugin, and
// compares its reports with the expected ones.
//
// A [Recording] is an output, a [Case] is one in a directory with its [Want], and
// [Events] are a plugin's report. sdk/PROTOCOL.md describes the files. The package does
// not start plugins. The rules that hold for any recording are in package conform.
package golden
