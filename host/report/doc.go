// Package report writes the runs of a command in the formats that other programs read:
// JUnit XML, CTRF, Markdown and more, each a file of this package. All of them write one
// model ([Document]), so that they agree on which tests there are, under which names and
// how each ended.
//
// It opens no file and prints nothing, and a report never decides: the verdict is that
// of the run.
package report
