// Package corpus reads the recorded cases of `go test -json` in ../cases: the
// sources a case was recorded from, what the tool wrote, how the command ended,
// and the records a reader of that output should produce.
//
// It is not responsible for recording (see ../record) and not for judging a
// parser (see corpus_test.go of plugins/go). It lives below testdata so that it
// is part of no ordinary build.
package corpus
