package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/stream"
)

//go:embed testdata/recording.jsonl
var recording []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		stop()
		os.Exit(1)
	}
}

// run measures what the arguments request.
func run(ctx context.Context, args []string) error {
	b := &bench{out: os.Stdout, log: os.Stderr}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.bin, "bin", "", "the `DIR` with proctor and its plugin (default: built now, as for a release)")
	flags.StringVar(&b.gotestsum, "gotestsum", filepath.Join(".cache", "tools", "gotestsum"), "gotestsum's `PATH`")
	flags.StringVar(&b.tparse, "tparse", filepath.Join(".cache", "tools", "tparse"), "tparse's `PATH`")
	flags.StringVar(&b.dir, "dir", "", "keep streams and modules in `DIR` and use what is there (default: a temporary one, about 2.5 GB)")
	flags.IntVar(&b.turns, "turns", 5, "how often each program is measured")
	flags.IntVar(&b.results, "results", 1_000_000, "how many results the queried history has")
	flags.IntVar(&b.edits, "edits", 200, "how many random edits to each real module are tried with run --affected")
	flags.Uint64Var(&b.seed, "seed", 1, "the `SEED` of the random edits and faults")
	flags.StringVar(&b.modules, "modules", "", "the real `MODULES` of the areas coverage, affected and faults, separated by commas (default: two, ten for faults, twelve for affected)")
	flags.IntVar(&b.rounds, "rounds", 0, "how many rounds the soak has (default: as many as fit into 12 minutes)")
	flags.BoolVar(&b.quick, "quick", false, "take few turns and small histories: good only for a first look")
	only := flags.String("only", "", "measure only `AREAS`, separated by commas: "+strings.Join(areaNames(), ", "))
	record := flags.String("record", "", "measure two rounds and write their ratios to `FILE`")
	check := flags.String("check", "", "fail if a ratio is worse than in `FILE` by more than the noise there")
	if err := flags.Parse(args); err != nil {
		return err
	}
	set := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if b.quick {
		b.applyQuick(set)
	}
	var err error
	if b.recording, err = stream.Read(recording); err != nil {
		return err
	}
	cleanup, err := b.prepare(ctx)
	defer cleanup()
	if err != nil {
		return err
	}
	chosen, err := selectAreas(*only, b.quick)
	if err != nil {
		return err
	}
	switch {
	case *record != "":
		return b.record(ctx, chosen, *record)
	case *check != "":
		return b.check(ctx, chosen, *check)
	}
	return b.measure(ctx, chosen)
}

// applyQuick reduces everything that was not set explicitly.
func (b *bench) applyQuick(set map[string]bool) {
	const turns, results, edits = 1, 100_000, 5
	if !set["turns"] {
		b.turns = turns
	}
	if !set["results"] {
		b.results = results
	}
	if !set["edits"] {
		b.edits = edits
	}
}
