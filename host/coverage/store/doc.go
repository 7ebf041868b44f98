// Package store keeps what was measured of suites, beside the history: each suite in a
// file of its own for each of the last few settings, that is written whole or not at all, so that two proctors do not
// disturb each other and one damaged file costs one suite. All of it can be made again.
//
//	suites/<hash of the language>/<hash of the suite's name>-<hash of the setting>
//	sheets/<hash of the content>
//
// The source files that were measured are beside the suites, since most suites share
// them. Nothing holds a lock: a file has one content for ever, or is replaced by a
// newer whole one, and a sheet that a suite lacks makes the suite one that was not
// measured.
//
// It is not responsible for what a measurement means, nor for when it is out of date.
package store
