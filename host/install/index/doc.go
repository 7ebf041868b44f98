// Package index implements a publisher's list of plugins, index.json, and its
// signature, index.json.minisig. Addresses in it are relative, so that a copy of the
// tree is a mirror; it is signed as a whole, and has the hash of every archive.
//
// It is pure: it reads and writes bytes, and fetches nothing.
package index
