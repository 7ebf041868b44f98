// Package shard divides a run among machines that do not communicate, and decides what
// their runs prove together. It is pure: values in, values out.
//
// Each machine makes the whole plan and takes its part of it, so the same inputs must
// lead to the same plan: the suites, the selection, the recorded durations and the state
// of the sources. Their digest goes with every run, and the merge rejects runs whose
// plans differ or whose parts are not the whole.
//
// What a plugin composes for a part is decided in package engine, and how the files of
// shards are read in package merge.
package shard
