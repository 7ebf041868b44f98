// Package coverage knows which tests execute a line: what was measured of each suite
// ([Suite]), what suites are built from ([Graph]), and how both answer a question
// about lines ([Cover]) although the sources have changed since ([Sheet], package linediff).
//
// It is pure, and knows no language: a plugin measures, says what a suite is built
// from, and splits a source file into units. Package affected uses the same knowledge
// to decide which tests an edit can break; package store keeps it.
//
// It does not measure, read the workspace, or decide when to measure again.
package coverage
