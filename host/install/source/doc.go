// Package source fetches plugins: from a directory, an archive, an index over
// file:// or https://, or a Go module.
//
// It is not responsible for trusting what it fetches: package install compares
// signatures and hashes with what is pinned and locked, before anything becomes an
// installed plugin. What it does check is that what it fetched agrees with what its
// source said of it. It is imported by package install alone, so that nothing else of
// proctor can download, and it executes no plugin.
//
// # Indexes
//
// The signature, the key and the archives of an index are where its address, as it
// was given, says: beside it and below it, also where a server redirects the index
// itself. A mirror is so a copied tree, whatever serves it. Redirects are followed
// within https, and never carry a name or password. Nothing is decompressed on the
// way: what is hashed is what the server sent.
//
// # Go modules
//
// The go command of the user's PATH fetches and builds, in an empty directory of its
// own, so that no go.mod or go.work around takes part. Of the user's settings those
// count that say where modules come from, who vouches for them and what is cached;
// GOFLAGS does not, and nothing that names a compiler. cgo is off: a module would
// choose the arguments of a C compiler. GOTOOLCHAIN is local unless it was set, since
// else a module's go.mod would choose a compiler to download. What vouches for a
// module is Go's checksum database; what was built is then compared by the module's
// sum that the go command writes into every binary.
//
// A module may have a manifest.json beside its package main, without version and
// platforms, which are filled in. Without one the plugin has the name that follows
// proctor-plugin- in its path, the host's protocols, and detects nothing by itself:
// it is not executed to learn more.
package source
