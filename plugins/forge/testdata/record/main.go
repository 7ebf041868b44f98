//go:build unix

// Command record runs the cases in ../cases again and stores what forge wrote.
// From the directory plugins/forge:
//
//	go run ./testdata/record [-j N] [-new] [REGEXP]
//
// It needs what .ci/install-forge installs, with the versions of forge that the
// cases name as its arguments. Sources (src/), the upper half of meta.json
// and want.json are written by hand.
package main

import (
	"context"
	"flag"
	"path/filepath"

	"github.com/proctorhq/proctor/plugins/forge/testdata/corpus"
	"github.com/proctorhq/proctor/plugins/internal/recorded"
)

func main() {
	tools := flag.String("tools", filepath.Join("..", "..", ".cache", "forge"), "where .ci/install-forge installed forge")
	recorded.Main(func(context.Context) (func(context.Context, corpus.Case) error, error) {
		dir, err := filepath.Abs(*tools)
		return machine{tools: dir}.record, err
	})
}
