// Package outcome finds out how the tests of a Go module end, using only the go command and
// the programs that it builds. If a test ends its process before others have run, those are
// run one by one: what counts is what each does on its own.
package outcome
