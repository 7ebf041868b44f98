// Package transfer exports runs into an archive, and imports them from one that is
// not trusted.
package transfer
