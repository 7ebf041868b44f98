// Package tally counts what a plugin reports: results, failures, ends of suites, and
// what could not be read. It is a listener of the stream of a run, and keeps a bounded
// part.
package tally
