// Package ledger is all that is on record of a workspace: the artifacts of its runs
// (package artifacts), its history (package history), what is outstanding, and what
// was measured. A [Keeper] opens it; a [Ledger] is one that is open. It ends the runs
// that were killed, removes what is beyond the limits, and never forgets a red that
// could not be written.
//
// It is not responsible for what a record means: see package standing.
package ledger
