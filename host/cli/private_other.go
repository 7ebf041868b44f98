//go:build !linux

package cli

// keepPrivate does nothing: see private_linux.go.
func keepPrivate() {}
