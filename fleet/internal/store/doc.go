// Package store keeps what the machines of a fleet exchange: sources, plans and results.
// Temporal's payloads only refer to it.
//
// An object is written once and never changed, so that the first of several attempts wins
// without a lock. What a run stored is removed as a whole, when the run is old.
package store
