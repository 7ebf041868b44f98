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
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/plugins/internal/recorded"
)

// caseLimit ends a case that hangs.
const caseLimit = 3 * time.Minute

func main() {
	cases := flag.String("cases", filepath.Join("testdata", "cases"), "directory of the cases")
	tools := flag.String("tools", filepath.Join("..", "..", ".cache", "forge"), "where .ci/install-forge installed forge")
	jobs := flag.Int("j", 1, "cases to record at the same time")
	onlyNew := flag.Bool("new", false, "record only cases that have no recording")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := filepath.Abs(*tools)
	if err == nil {
		err = recorded.RecordAll(ctx, recorded.RecordConfig{
			Dir: *cases, Pattern: flag.Arg(0), Jobs: *jobs, OnlyNew: *onlyNew, Log: os.Stdout,
		}, machine{tools: dir}.record)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
