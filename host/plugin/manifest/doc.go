// Package manifest implements manifest.json, the static description in every plugin
// archive. It lets the host list, match and refuse plugins without executing any.
//
// It is pure: it reads and writes bytes. Whether a manifest is true is checked
// elsewhere: package store compares the hash of the binary, and package plugin what
// the plugin says about itself.
package manifest
