//go:build !unix

package reports

const nonblocking = 0
