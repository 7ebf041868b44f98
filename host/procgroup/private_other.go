//go:build !linux

package procgroup

// KeepPrivate does nothing: see private_linux.go.
func KeepPrivate() {}
