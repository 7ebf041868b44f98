// Package covering says which tests execute a line, and makes the index that this takes.
package covering
