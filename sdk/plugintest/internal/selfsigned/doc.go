// Package selfsigned makes the certificates with which a host and its plugin
// know each other: one for each side, for one process.
//
// It is not responsible for serving with them, or for anybody else's.
package selfsigned
