//go:build !unix

package source

// nonblocking: no file waits when it is opened here.
const nonblocking = 0
