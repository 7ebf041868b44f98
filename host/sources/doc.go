// Package sources compares the sources of a workspace with earlier ones, and ties what was
// measured to those that it was measured on.
package sources
