// Package prose has what sentences are made of: text made harmless for a terminal,
// words quoted for a shell, durations, counts, names of tests.
package prose
