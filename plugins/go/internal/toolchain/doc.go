// Package toolchain tells which Go version will run in a workspace, from files
// and settings only. It starts no process, so it may not know: see
// [Version.AtLeast].
package toolchain
