// Package portable reads runs that were made elsewhere from files: reports that --report
// json wrote, and archives of exported runs. A [Record] holds them for as long as it is
// open, beside the workspace's own record, which does not change.
//
// The files are not trusted: they are bounded, checked for contradictions and never
// assumed to be complete, and nothing in them is executed. Package shard decides what the
// shards of a run prove together.
package portable
