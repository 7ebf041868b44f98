// Package merge puts the reports of a run's shards together, and records what they prove
// as a run of the workspace.
//
// Package portable reads the files, and package shard decides what they prove together.
package merge
