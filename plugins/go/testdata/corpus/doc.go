// Package corpus reads the recorded cases of `go test -json` in ../cases: the
// sources a case was recorded from, what the tool wrote, how the command ended,
// and the records a reader of that output should produce.
//
// It is not responsible for recording (see ../record). It lives below testdata
// to be left out of ordinary builds.
package corpus
