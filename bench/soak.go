package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/bench/internal/soak"
)

// measureSoak compresses an agent's day into minutes: thousands of runs and queries on one
// server. Each answer is checked, and what the server holds is sampled all the while.
func measureSoak(ctx context.Context, b *bench) error {
	dir := filepath.Join(b.dir, "soak")
	if err := renew(dir, ""); err != nil {
		return err
	}
	r, err := soak.Run(ctx, soak.Config{Proctor: filepath.Join(b.bin, "proctor"), Dir: dir, Rounds: b.rounds, For: b.soakTime(), GoFlags: b.soakFlags, Log: b.log})
	b.printSoak(r)
	return err
}

// soakTime returns the time after which no further round begins.
func (b *bench) soakTime() time.Duration {
	const most, quickly = 12 * time.Minute, 45 * time.Second
	switch {
	case b.rounds > 0:
		return 0
	case b.quick:
		return quickly
	}
	return most
}

// How much something may grow from the first to the last third of a soak. A record is full
// after its first runs, and must not grow after that.
const (
	mostMemory  = 1.25 // for threads, too, which the runtime starts at will
	mostHeld    = 1.1
	mostLatency = 1.5
)

// printSoak writes the tables and adds the goals. What other programs hold, such as the go
// command, is reported but is no goal.
func (b *bench) printSoak(r *soak.Report) {
	if r.Rounds() == 0 {
		return
	}
	fmt.Fprintf(b.out, "\n%d rounds of an agent's loop with %d runs in %s, each answer checked.\n", r.Rounds(), r.Runs, r.Took.Round(time.Second))
	fmt.Fprintf(b.out, "\n| what is held between two calls | first third | last third | maximum | ratio | wanted | reached |\n|---|---|---|---|---|---|---|\n")
	var grown []string
	for _, h := range r.Held() {
		fmt.Fprintf(b.out, "| %s | %.1f | %.1f | %.1f | %.2f× |", h.What, h.First, h.Last, h.Most, h.Ratio())
		most := mostGrowth(h.What)
		if most == 0 {
			fmt.Fprintln(b.out, " | |")
			continue
		}
		held := goal{reached: h.Ratio() <= most}
		fmt.Fprintf(b.out, " ≤ %.3g× | %s |\n", most, held.word())
		if !held.reached {
			grown = append(grown, h.What)
		}
	}
	b.none("soak: what is held and has grown", grown)
	fmt.Fprintf(b.out, "\n| calls, ms: median (19 of 20 within) by tenths | calls |%s ratio |\n|---|---|%s---|\n", strings.Repeat(" |", 10), strings.Repeat("---|", 10))
	var slower []string
	for _, c := range r.Calls() {
		fmt.Fprintf(b.out, "| %s | %d |", c.What, c.Number)
		for i := range c.Median {
			fmt.Fprintf(b.out, " %s (%s) |", inMilliseconds(c.Median[i]), inMilliseconds(c.P95[i]))
		}
		fmt.Fprintf(b.out, " %.2f× |\n", c.Ratio)
		if c.Ratio > mostLatency {
			slower = append(slower, c.What)
		}
	}
	b.none(fmt.Sprintf("soak: calls whose median is over %g× at the end", mostLatency), slower)
	b.none("soak: processes left at the end", r.Left)
}

// mostGrowth returns how much something may grow; 0 means any amount.
func mostGrowth(what string) float64 {
	switch {
	case what == soak.OfGo, strings.HasSuffix(what, "sessions, KiB"): // a session is kept for 30 days
		return 0
	case strings.Contains(what, "memory"), strings.Contains(what, "threads"):
		return mostMemory
	}
	return mostHeld
}

// inMilliseconds formats a time as briefly as is readable.
func inMilliseconds(d time.Duration) string {
	return fmt.Sprintf("%.3g", float64(d)/float64(time.Millisecond))
}
