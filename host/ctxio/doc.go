// Package ctxio has readers that give up when a context ends.
package ctxio
