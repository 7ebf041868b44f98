// Package coverage knows which tests execute a line: what was measured of each suite
// ([Suite]), what suites are built from ([Graph]), and how both answer a question
// about lines ([Cover]) although the sources have changed since ([Sheet], [Map]).
//
// It is values in, values out, and knows no language: a plugin measures, says what a
// suite is built from, and divides a source file into units. Package affected decides
// by the same knowledge which tests an edit can break; package store keeps it.
//
// The package is not responsible for measuring, for reading the workspace, nor for
// when something is measured again.
package coverage
