// Package ctxio provides readers that give up when a context ends.
package ctxio
