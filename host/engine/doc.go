// Package engine runs tests: run, rerun, ingest and parse.
//
// The way of a run: take the project; ask its plugin for commands; execute them, while
// their output flows to the plugin's parser, to the record on disk and, capped, to the
// reader; decide the verdict from the evidence; update the outstanding set; finish the
// record. Deciding is left to the pure packages verdict and outstanding.
package engine
