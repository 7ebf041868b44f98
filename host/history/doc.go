// Package history is the persistent record of a workspace: its runs, what each
// test did in them, the source states they saw, and what is outstanding. It
// outlives sessions. [Store] is what a database has to offer; package
// host/history/historytest holds any of them to it, and host/history/sqlite is
// the one that is used.
//
// The package is not responsible for what results mean: package classify
// compares them, package outstanding decides what is outstanding. Output, messages and
// stacks are not in it: they are artefacts of a run, and package artifacts keeps
// them.
package history
