// Package outstanding decides which tests to rerun and what a rerun proved. It is
// pure: values in, values out. docs/rerun.md shows the rules as a table.
//
// The outstanding set is every test that failed, did not finish or never
// started since it last passed. A test leaves it only by passing; the one
// exception is a complete green run of everything, which also drops tests that
// no longer exist.
//
// The package knows no language: it never interprets a test's name. Plugins turn
// targets into commands, and package ledger stores the set.
package outstanding
