// Package corpus reads the recorded cases of `forge test --json` in ../cases:
// the sources a case was recorded from, what forge wrote, how the command
// ended, and what a reader of that output should be told.
//
// It is not responsible for recording (see ../record) and not for judging a
// parser (see corpus_test.go of plugins/forge). It lives below testdata so that
// it is part of no ordinary build.
package corpus
