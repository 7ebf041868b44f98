// Package testjson reads single lines of `go test -json`.
//
// A line is scanned by hand as long as it looks like what test2json and
// cmd/go write: a flat object of known keys, each at most once, with strings
// and one number as values. Every other line goes to encoding/json, so that a
// new field or another producer costs time and not correctness.
//
// Keys written in another case ("action") are accepted, because encoding/json
// accepts them. The fast path is laxer than encoding/json in one respect: it
// does not look inside strings, so control bytes, unknown escapes and invalid
// UTF-8 pass. No Go toolchain writes them.
//
// The package knows the syntax only. What events mean, which lines are no
// events and what to do about damage is decided by package parse.
package testjson
