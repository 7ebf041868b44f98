// Package outcome finds out how the tests of a Go module end, by the go command and
// the programs that it builds alone. Where a test ends its process, so that others do not
// run, these run one by one: what they do on their own is what is asked for.
package outcome
