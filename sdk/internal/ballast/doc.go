// Package ballast makes the garbage collector come less often in a process that
// takes in a long stream.
//
// It is not responsible for the stream: it knows nothing of what is in it, and
// bounds no memory.
package ballast
