// Package ledger is everything on record about a workspace: the artifacts of its runs
// (package artifacts), its history (package history), what is outstanding, and what
// was measured. A [Keeper] opens it; a [Ledger] is an open one. It ends runs that
// were killed, removes what exceeds the limits, and remembers in memory a failure that
// could not be written.
//
// It does not interpret the record: see package standing.
package ledger
