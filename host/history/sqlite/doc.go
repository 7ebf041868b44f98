// Package sqlite keeps a history in a SQLite database: one file in the
// workspace's .proctor directory.
//
// Package history defines what its content means.
package sqlite
