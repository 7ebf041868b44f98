//go:build !unix

package source

// nonblocking is zero: opening a file never waits here.
const nonblocking = 0
