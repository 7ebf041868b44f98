// Package workspace finds the root of the workspace and the programs that its languages
// need, and edits the environment of the tests.
//
// It knows no language: markers and program names come from the plugins.
package workspace
