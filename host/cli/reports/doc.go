// Package reports has the flags and files of the reports that commands write about their
// runs, and the output that CI services read. Package report decides what a report says.
package reports
