// Package stream makes large outputs of `go test -json` out of a small recorded
// one: the recorded packages again and again under other names, a few at a
// time, in an order that a seed decides. The same seed gives the same bytes.
//
// It does not run tests, and it does not know who reads the streams.
package stream
