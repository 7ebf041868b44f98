// Package covering answers which tests execute a line, and measures that (index).
package covering
