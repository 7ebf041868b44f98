//go:build !linux

package testbin

// InMemory does nothing: only Linux has a file system in memory where every user may write.
func InMemory() {}
