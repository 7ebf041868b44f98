// Package archive packs a plugin into an archive, and unpacks one that nobody has
// vetted: .tar.gz, or .zip for Windows.
//
// It is not responsible for whether what it unpacks is what was meant: hashes and
// manifests are compared by who calls it.
package archive
