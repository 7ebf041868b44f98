// Package testjson parses single lines of `go test -json`.
//
// It scans a line by hand as long as the line looks like the output of test2json and
// cmd/go: a flat object of known keys, each at most once, with strings and one number
// as values. Any other line goes to encoding/json, so a new field or another producer
// costs time but not correctness.
//
// Keys in another case ("action") are accepted, because encoding/json accepts them. The
// fast path is laxer than encoding/json in one respect: it does not look inside
// strings, so control bytes, unknown escapes and invalid UTF-8 pass. No Go toolchain
// writes them.
//
// The package knows only the syntax. Package parse decides what events mean, which
// lines are not events, and what to do about damage.
package testjson
