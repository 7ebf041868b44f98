// Package sqlite keeps a history in a SQLite database: one file in the
// workspace's .proctor directory.
//
// The package is not responsible for what the history means; see package history.
package sqlite
