// Package store is the directory of installed plugins:
//
//	NAME/VERSION/PLATFORM/manifest.json, the binary, LICENSE, receipt.json
//	NAME/VERSION/PLATFORM.lock   held while that plugin is installed or removed
//	.staging/ID/                 what is being unpacked, or deleted
//	.staging/ID.lock             held by the process that works there
//
// A plugin appears in it whole, by a rename, or not at all, whatever kills the
// installer, and is never changed afterwards. The package is not responsible for
// where plugins come from (package install) or for which one is meant (package
// lock).
package store
