// Package classify compares results with those on record: how a test or file stands at
// the end of a session, whether it is recurring or flaky, whether a failure is the same
// one again, which failures share a cause, and what vanished without a failure. It is
// pure: values in, values out. docs/history.md shows the same rules as a table.
//
// Package history keeps the record, package outstanding decides what is
// outstanding, and package verdict what a run proved.
package classify
