// Package standing derives from the ledger how tests and files stand: failing, flaky,
// recurring, fixed, gone. docs/history.md has the rules.
package standing
