// Package manifest is the static description that lies in every plugin archive,
// manifest.json. By it the host lists, matches and refuses plugins without
// executing any.
//
// It is pure: it reads and writes bytes. It is not responsible for whether what a
// manifest says is true: the hash of the binary is compared by package store, and
// what the plugin says of itself by package plugin.
package manifest
