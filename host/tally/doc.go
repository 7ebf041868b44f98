// Package tally counts what a plugin reports: results, failures, ends of suites, and
// what could not be read. It listens to a run's events, and keeps a bounded part.
package tally
