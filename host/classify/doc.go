// Package classify says what results mean beside those that are on record: how a
// test or file stands at the end of a session, whether it is recurring or flaky,
// whether a failure is the same one again, which failures have one cause, and
// what vanished without a failure. It is pure: values in, values out.
// docs/history.md shows the same rules as a table.
//
// It is not responsible for keeping the record: that is package history. Nor does
// it decide what is outstanding (package outstanding) or what a run proved (package
// verdict).
package classify
