// Package stream generates large outputs of `go test -json` from a small recording: it
// repeats the recorded packages under other names, a few at a time, in an order
// determined by a seed. The same seed gives the same bytes.
package stream
