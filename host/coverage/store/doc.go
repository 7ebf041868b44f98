// Package store keeps what was measured of suites, beside the history. Each suite has
// a file of its own for each of the last few settings, written atomically, so that
// concurrent proctors do not disturb each other and a damaged file costs one suite.
// Everything in it can be measured again.
//
//	suites/<hash of the language>/<hash of the suite's name>-<hash of the setting>
//	sheets/<hash of the content>
//
// Measured source files are stored separately, since most suites share them. No locks are
// needed: a file either never changes or is replaced atomically by a newer one, and a suite
// that lacks a sheet counts as not measured.
//
// It neither interprets measurements nor decides when they are out of date.
package store
