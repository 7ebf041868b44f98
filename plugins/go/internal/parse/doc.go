// Package parse turns the output of `go test -json` into results: events in,
// calls of an sdk.Sink out.
//
// Start with parser.go: it receives the bytes of the two streams and names the parts that
// share the work. events.go handles one event, and suite.go keeps the state of one
// package. When a test fails, settle.go decides when and how it is reported, and
// examine.go begins to find out why: block.go finds the messages, failing.go weighs which
// of them are errors, and libraries.go reads them as their libraries word them. When a
// package ends, suiteend.go decides how, and blame.go and death.go find out which test
// crashed its process. build.go and exit.go read what the go command itself says.
// report.go reports to the sink, and sources.go and tree.go read the workspace. Each of
// the other files handles one thing that Go or a library prints: panics, races, specs and
// so on; package wording reads the messages.
//
// Four facts of test2json shape the package:
//
//   - A fail event says that a test failed, not why, and many failures have no
//     such event at all: builds, crashes, exits, timeouts.
//   - Text is filed under the test that spoke last. Stack frames and the wording of a
//     panic show which test is to blame; see blame.go.
//   - Lines arrive cut at 1024 bytes, so text is joined for each test before it is
//     read; see transcript.go.
//   - A test may print anything, results included. Events are believed, text only if
//     an event says that something is wrong.
//
// State is kept for running tests and dropped when they end, so memory does not grow
// with the number of tests or the size of the output.
//
// The package composes no test commands, except the one that reproduces a
// failure, starts no process, and decides no verdict: it reports what happened.
package parse
