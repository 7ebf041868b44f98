// Package outcome finds out how the tests of a Go module end, using only the go command
// and the programs that it builds. If a test ends its process, so that others do not
// run, it runs those one by one, because it is to report what they do on their own.
package outcome
