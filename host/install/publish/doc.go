// Package publish makes what a plugin's author publishes: archives with manifests,
// and an index that names them. Signing is left to minisign.
//
// The result is a tree that any web server or directory can offer:
//
//	index.json
//	NAME/VERSION/manifest.json
//	NAME/VERSION/proctor-plugin-NAME_VERSION_OS_ARCH.tar.gz
//
// Published content never changes, since lock files have its hashes: a version in the
// index can at most gain platforms. The index is written last, so that it names only
// what exists; equal input changes nothing. Equality is decided by the files in an
// archive, not by its bytes, which depend on the release of Go that proctor was built
// with. One process at a time works on a tree; others wait.
//
// It does not upload.
package publish
