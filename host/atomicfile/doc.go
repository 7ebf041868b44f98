// Package atomicfile writes files atomically: a reader sees the old content or the
// new one, even after a crash or a power failure.
//
// It does not decide what may be replaced: the caller checks what is there, and
// holds a lock if there are several writers.
package atomicfile
