// Package reports has the flags and files of the reports that commands write of their
// runs, and what CI services read in their output. What a report says is decided by
// package report.
package reports
