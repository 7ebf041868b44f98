// Package held reports whether an installed plugin is the one that a lock file means:
// before it is launched, and where somebody asks.
//
// It executes nothing and heals nothing. It is not responsible for which lock file
// counts (package plugin), or for putting right what is wrong (package install).
package held
