// Package ctxio provides readers and writers that give up: when a context ends, at a
// limit, or because nobody reads any more.
package ctxio
