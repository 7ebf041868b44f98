// Package config reads what a project says about proctor itself: the file
// .proctor.toml in the root of its workspace.
//
// The file is not trusted. So it is bounded, never read through a link, limited to
// numbers and a few fixed words, and nothing in it is executed. Whatever is wrong
// in it is an [*Error], never a default that nobody asked for.
//
// It does not act on what it reads, nor does it handle flags, environment
// variables or the configuration of a language's own tools.
package config
