// Package engine runs tests: run, rerun, ingest and parse.
//
// Every run goes through [Conduct], in three phases, each with a type of its own:
//
//   - A use case makes a [Plan], which says what is executed and why: run.go, rerun.go,
//     ingest.go, parse.go and merge.go, and what chooses among tests.
//   - The plan is executed: while commands run, their output flows to the plugin's parser,
//     whose reports go as events to whatever counts, records or shows the run. See
//     [Batch], and record.go.
//   - The conclusion gathers further evidence, decides the verdict from it, and settles what
//     the run leaves outstanding and on record: conclude.go, verdict.go and settle.go.
//
// The decisions themselves are those of the pure packages verdict and outstanding.
package engine
