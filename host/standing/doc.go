// Package standing tells from the ledger how tests and files stand: failing, flaky,
// recurring, fixed, gone. The rules are those of docs/history.md.
package standing
