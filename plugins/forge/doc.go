// Package forge is proctor's detector for Foundry: it composes "forge test
// --json" commands and reads their output. detector.go is the entry; testcmd.go,
// rerun.go and list.go are the three kinds of commands, scaffold.go makes a
// project of uploaded sources, parser.go reads what forge prints, locating.go
// what it prints step by step.
//
// prepare.go, drawn.go and evidence.go are about what results are worth: a seed
// draws the same only under the same circumstances, and tests may write where
// results stand.
//
// dependency_report.go tells what suites are built from, outline.go what a source
// declares; index.go and measured.go are about coverage, which forge has for whole
// contracts.
//
// Every command runs under the same rules, see environment.go: variables that
// forge reads as settings are dropped, and those that would hide a failure or
// the results are set.
//
// The package starts no process, decides no verdict and knows no session.
// Settings are internal/settings, filters internal/selection, arguments
// internal/arguments, where a test is declared internal/declaration, versions
// of compilers internal/pragma, what a suite is built from internal/composition,
// reports of coverage internal/lcov, the document that forge prints internal/testjson,
// complaints of the compiler internal/solcout, failing lines internal/trace.
package forge
