// Package lock implements proctor.lock, the list of expected plugins, with the
// hashes of their archives and binaries on each platform. A project has one in
// version control, and a user has one, plugins.lock, for everywhere else.
//
// It is checked when a plugin is installed and each time one is launched; only
// `proctor plugin` writes it. Package store holds the plugins, package install
// fetches them.
package lock
