// Package engine runs tests: run, rerun, ingest and parse.
//
// Every run goes one way, [Conduct]. A [Plan] says what is executed and why, and is made
// by the use case. Its commands are executed, while their output flows to the plugin's
// parser, and what that tells goes as events to whatever counts, keeps or shows the run.
// The conclusion decides the verdict from the evidence, updates the outstanding set and
// finishes the record, step by step; see conclude.go. Deciding is left to the pure
// packages verdict and outstanding.
package engine
