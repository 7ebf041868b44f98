// Package store is the directory of installed plugins:
//
//	NAME/VERSION/PLATFORM/manifest.json, the binary, LICENSE, receipt.json
//	NAME/VERSION/PLATFORM.lock   held while that plugin is installed or removed
//	.staging/ID/                 what is being unpacked, or deleted
//	.staging/ID.lock             held by the process that works there
//
// A plugin appears atomically, by a rename, whatever kills the installer, and is
// never changed afterwards. Package install fetches plugins, and package lock says
// which one is expected.
package store
