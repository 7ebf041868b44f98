// Package history is the persistent record of a workspace: its runs, what each
// test did in them, the source states they saw, and what is outstanding. It
// outlives sessions. [Store] is the interface to a database; package
// host/history/historytest tests implementations, and host/history/sqlite is the
// one in use.
//
// Package classify compares results, and package outstanding decides what is
// outstanding. Output, messages and stacks are artifacts of a run, kept by package
// artifacts.
package history
