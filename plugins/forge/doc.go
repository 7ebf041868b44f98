// Package forge is proctor's detector for Foundry: it composes "forge test
// --json" commands and reads their output. detector.go is the entry; testcmd.go,
// rerun.go and list.go are the three kinds of commands, scaffold.go makes a
// project of uploaded sources, parser.go reads what forge prints, locating.go
// what it prints step by step.
//
// prepare.go, drawcontext.go and evidence.go are about what results are worth: a
// seed draws the same inputs only under the same circumstances, and tests may write
// to where results are printed.
//
// dependency_report.go reports what suites are built from, outline.go what a source
// declares; index.go and measured.go are about coverage, which forge measures for
// whole contracts.
//
// Every command runs under the same rules, see environment.go: variables that
// forge reads as settings are dropped, and those that would hide a failure or
// the results are set.
//
// The package starts no process, decides no verdict and knows no session. Settings
// are in internal/settings, filters in internal/selection, arguments in
// internal/arguments, declarations of tests in internal/declaration, compiler versions
// in internal/pragma, what a suite is built from in internal/composition, coverage
// reports in internal/lcov, forge's document of results in internal/testjson, compiler
// messages in internal/solcout, failing lines in internal/trace.
package forge
