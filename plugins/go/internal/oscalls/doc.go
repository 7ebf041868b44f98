// Package oscalls derives from a coverage profile which functions of Go's package os
// were executed that start programs, follow links, or open files.
//
// The log of package testing does not say so: what is started may be gone when the log
// is read, and Go's own log begins after TestMain. The profile has the blocks of package os
// if the tests were built with -coverpkg=os; the sources in GOROOT show which function
// a block belongs to.
//
// Requests to the operating system that bypass package os are not seen.
package oscalls
