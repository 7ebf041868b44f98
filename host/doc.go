// Package host is the one facade that the fronts call: run tests, run again
// what is outstanding, and answer questions about what happened.
//
// The way of a run: find the workspace and the plugins that detect a project
// there; ask the plugin for commands; execute them, while their output flows to
// the plugin's parser, to the record on disk and, capped, to the reader; decide
// the verdict from the evidence; update the outstanding set; finish the record.
//
// The package knows no language, prints nothing, and parses no runner's output.
// Deciding is left to the pure packages verdict and rerun.
package host
