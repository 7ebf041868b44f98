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
	"regexp"
	"sync"
	"time"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
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
	if err := recordAll(ctx, *cases, flag.Arg(0), *jobs, *onlyNew); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func recordAll(ctx context.Context, dir, pattern string, jobs int, onlyNew bool) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	all, err := corpus.Load(dir)
	if err != nil {
		return err
	}
	machine, err := readMachine(ctx)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, jobs)
	var wg sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for _, c := range all {
		if !re.MatchString(c.Name) || onlyNew && hasRecording(c) {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			err := machine.record(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				fmt.Printf("%-40s %v\n", c.Name, err)
				return
			}
			fmt.Printf("%-40s recorded\n", c.Name)
		})
	}
	wg.Wait()
	if failed > 0 {
		return fmt.Errorf("%d cases could not be recorded", failed)
	}
	return nil
}

func hasRecording(c corpus.Case) bool {
	_, err := c.Stream("stdout")
	return err == nil
}
