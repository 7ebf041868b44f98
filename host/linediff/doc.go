// Package linediff finds the lines of one text in another.
package linediff
