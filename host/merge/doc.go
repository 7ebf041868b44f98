// Package merge puts the reports of a run's shards together, and records what they prove
// as a run of the workspace.
//
// The files come from other machines, and are read like any archive: bounded, checked
// for accord with themselves, and never believed to be complete. What they prove together
// is decided in package shard.
package merge
