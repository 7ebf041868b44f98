// Package ctxio provides readers and writers that stop when a context ends, at a limit,
// or when their reader is gone.
package ctxio
