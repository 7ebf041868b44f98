// Package source fetches plugins: from a directory, an archive, an index over
// file:// or https://, or a Go module.
//
// It does not decide what to trust: package install compares signatures and hashes
// with what is pinned and locked, before anything becomes an installed plugin. It does
// check that what it fetched agrees with what its source announced. Only package
// install imports it, so that nothing else in proctor can download, and it executes no
// plugin.
//
// # Indexes
//
// The signature, the key and the archives of an index are relative to its address as
// given: beside it and below it, even if a server redirects the index itself. So a
// mirror is a copied tree, whatever serves it. Redirects are followed within https,
// and never carry a name or password. Nothing is decompressed in transit: what is
// hashed is what the server sent.
//
// # Go modules
//
// The go command in the user's PATH fetches and builds, in its own empty directory, so
// that no surrounding go.mod or go.work takes part. The user's settings for where
// modules come from, who vouches for them and what is cached apply; GOFLAGS does not,
// nor does anything that names a compiler. cgo is off: a module would choose the
// arguments of a C compiler. GOTOOLCHAIN is local unless set, or a module's go.mod
// would choose a compiler to download. Go's checksum database vouches for a module;
// the result is then compared by the module sum that the go command writes into every
// binary.
//
// A module may have a manifest.json beside its package main, without version and
// platforms, which are filled in. Without one the plugin has the name that follows
// proctor-plugin- in its path, the host's protocols, and detects nothing by itself:
// it is not executed to learn more.
package source
