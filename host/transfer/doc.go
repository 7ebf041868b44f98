// Package transfer exports runs to archives, and imports them from untrusted ones.
package transfer
