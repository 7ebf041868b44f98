//go:build unix

// Command record runs the cases in ../cases again and stores what go test
// wrote. From the directory plugins/go:
//
//	go run ./testdata/record [-j N] [-new] [REGEXP]
//
// It needs the Go toolchains that the cases name (fetched by the go command
// through GOTOOLCHAIN), and a C compiler for the race and cgo cases. Sources
// (src/), the upper half of meta.json and want.json are written by hand.
package main

import (
	"context"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
)

func main() {
	recorded.Main(func(ctx context.Context) (func(context.Context, corpus.Case) error, error) {
		m, err := readMachine(ctx)
		return m.record, err
	})
}
