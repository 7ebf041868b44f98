// Package query answers questions from the ledger, one file each. It runs nothing.
package query
