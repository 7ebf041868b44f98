// Package store keeps what the machines of a fleet exchange: sources, plans and results.
// Temporal's payloads only refer to it.
//
// An object is written once and never changed, so that the first of several attempts wins
// without a lock. Nothing here removes objects: how long they are kept is up to whoever
// owns the directory or the bucket.
package store
