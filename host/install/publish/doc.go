// Package publish makes what a plugin's author publishes: archives with manifests,
// and an index that names them. Signing is left to minisign.
//
// What it makes is a tree that any web server or directory can offer:
//
//	index.json
//	NAME/VERSION/manifest.json
//	NAME/VERSION/proctor-plugin-NAME_VERSION_OS_ARCH.tar.gz
//
// What was published is never changed, since lock files have its hashes: a version
// that is in the index gets further platforms at most. The index is written last, so
// that it names only what is there; equal input changes nothing. Whether what is
// published is equal is asked of the files in an archive, not of its bytes: those
// depend on the release of Go that proctor was built with. One process at a time works
// on a tree; others wait.
//
// It is not responsible for uploading, or for whether a plugin is any good.
package publish
