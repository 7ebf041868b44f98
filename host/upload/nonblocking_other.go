//go:build !unix

package upload

// nonblocking: no file waits when it is opened here.
const nonblocking = 0
