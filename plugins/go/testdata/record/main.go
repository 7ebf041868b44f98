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
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/plugins/internal/recorded"
)

// caseLimit ends a case that hangs: the slowest waits for a 10 s time-out.
const caseLimit = 3 * time.Minute

func main() {
	cases := flag.String("cases", filepath.Join("testdata", "cases"), "directory of the cases")
	jobs := flag.Int("j", 1, "cases to record at the same time")
	onlyNew := flag.Bool("new", false, "record only cases that have no recording")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	machine, err := readMachine(ctx)
	if err == nil {
		err = recorded.RecordAll(ctx, recorded.RecordConfig{
			Dir: *cases, Pattern: flag.Arg(0), Jobs: *jobs, OnlyNew: *onlyNew, Log: os.Stdout,
		}, machine.record)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
