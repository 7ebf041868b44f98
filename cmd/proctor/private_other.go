//go:build !linux

package main

// keepPrivate does nothing: see private_linux.go.
func keepPrivate() {}
