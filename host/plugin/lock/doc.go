// Package lock is proctor.lock, the list of the plugins that are meant, with the
// hashes of their archives and binaries on each platform. A project has one in
// version control, and a user has one, plugins.lock, for all other places.
//
// It is checked when a plugin is installed and each time one is launched; it is
// written by `proctor plugin` alone. The package is not responsible for where
// plugins lie (package store) or come from (package install).
package lock
