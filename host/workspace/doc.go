// Package workspace answers where the tests live: the root of the workspace,
// the programs that its languages need, and the environment of the tests.
//
// It is not responsible for knowing any language: markers and program names
// come from the plugins.
package workspace
