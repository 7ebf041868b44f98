// Package fingerprint identifies the exact state of a workspace's sources,
// uncommitted and untracked files included, and tells which files differ between
// two states. It reads; it never writes to a repository's index or objects, nor
// to the working tree, and executes nothing of the workspace: no hooks, filters
// or monitors.
//
// The package is not responsible for keeping states (package history does), nor
// for what a changed file means to a test.
package fingerprint
