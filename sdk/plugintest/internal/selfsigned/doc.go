// Package selfsigned creates the certificates by which a host and its plugin recognize
// each other: one for each side, for one process.
package selfsigned
