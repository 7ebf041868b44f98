// Package toolchain determines which Go version will run in a workspace, from files and
// settings only. It starts no process, so the version may stay unknown: see
// [Version.AtLeast].
package toolchain
