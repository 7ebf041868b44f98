// Package portable reads runs that were made elsewhere from files: reports that --report
// json wrote, and archives of exported runs. A [Record] holds them for as long as somebody
// asks about them, beside the workspace's own record, which does not change.
//
// The files are hostile until shown otherwise: bounded, checked for accord with
// themselves, never believed to be complete, and nothing in them is executed. What the
// shards of a run prove together is decided in package shard.
package portable
