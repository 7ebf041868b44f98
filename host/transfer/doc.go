// Package transfer exports runs to an archive, and imports them from an untrusted one.
package transfer
