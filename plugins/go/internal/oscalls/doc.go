// Package oscalls tells from a coverage profile which functions of Go's package os
// were executed that start programs, follow links, or open files.
//
// The log of package testing does not say it: what is started may be gone when the log
// is read, and the log begins after TestMain. The profile has the blocks of package os
// where the tests were built with -coverpkg=os; the sources in GOROOT tell which
// function a block belongs to.
//
// What asks the operating system past package os is not seen.
package oscalls
