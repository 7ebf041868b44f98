// Package server is a Temporal server in this process, for trying a fleet and for tests: a
// team runs its own.
package server
