// Package corpus reads the recorded cases of `forge test --json` in ../cases:
// the sources a case was recorded from, what forge wrote, how the command
// ended, and what a parser should report.
//
// It is not responsible for recording (see ../record) or for checking a parser
// (see corpus_test.go of plugins/forge). It lives below testdata to be left out of
// ordinary builds.
package corpus
