// Package server runs a Temporal server in this process, for trying out a fleet and for
// tests; a team runs its own.
package server
