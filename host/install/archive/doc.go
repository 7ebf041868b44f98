// Package archive packs a plugin into an archive, and unpacks untrusted ones: .tar.gz,
// or .zip for Windows.
//
// The caller compares hashes and manifests.
package archive
