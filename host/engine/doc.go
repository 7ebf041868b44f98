// Package engine runs tests: run, rerun, ingest and parse.
//
// Every run goes through [Conduct]. The use case makes a [Plan], which says what is
// executed and why. While its commands are executed, their output flows to the plugin's
// parser, whose reports go as events to whatever counts, records or shows the run. The
// conclusion decides the verdict from the evidence, updates the outstanding set and
// finishes the record, step by step; see conclude.go. The decisions themselves are those
// of the pure packages verdict and outstanding.
package engine
