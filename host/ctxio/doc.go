// Package ctxio provides readers and writers that give up when a context ends.
package ctxio
