// Package workspace answers where the tests live: the root of the workspace,
// the programs that its languages need, and the environment of the tests.
//
// It knows no language: markers and program names come from the plugins.
package workspace
