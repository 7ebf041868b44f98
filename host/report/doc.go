// Package report writes the runs of a command in the formats that other programs read:
// JUnit XML, CTRF, Markdown and more, each in a file of this package. All write one model,
// [Document], so that they agree on which tests there are, their names, and how each ended.
//
// It writes no files and prints nothing. A report never decides: the verdict is the run's.
package report
