//go:build !unix

package upload

// nonblocking is zero: opening a file never waits here.
const nonblocking = 0
