// Package query answers questions from the ledger, one file each: history, why, diff,
// failures, output, context, measures, runs, outstanding. It runs nothing.
package query
