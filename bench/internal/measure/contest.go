package measure

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Contender is one of several commands that do the same.
type Contender struct {
	Name    string
	Command Command
	// Before is called before every execution, and is not timed.
	Before func(context.Context) error
}

// Result is what was measured of all contenders. Samples has one list for each, in the
// order of turns.
type Result struct {
	Names   []string
	Samples [][]Sample
}

// Contest executes every contender in every turn. The first turn is not
// counted: it fills caches.
func Contest(ctx context.Context, turns int, contenders ...Contender) (Result, error) {
	r := Result{Samples: make([][]Sample, len(contenders))}
	for _, c := range contenders {
		r.Names = append(r.Names, c.Name)
	}
	for turn := range turns + 1 {
		for i, c := range contenders {
			if c.Before != nil {
				if err := c.Before(ctx); err != nil {
					return r, fmt.Errorf("preparing %s: %w", c.Name, err)
				}
			}
			s, err := Run(ctx, c.Command)
			if err != nil {
				return r, fmt.Errorf("%s: %w", c.Name, err)
			}
			if turn > 0 {
				r.Samples[i] = append(r.Samples[i], s)
			}
		}
	}
	return r, nil
}

// Wall returns the wall time in seconds.
func Wall(s Sample) float64 { return s.Wall.Seconds() }

// CPU returns the processor time in seconds.
func CPU(s Sample) float64 { return s.CPU.Seconds() }

// Median returns the median of a contender's figures.
func (r Result) Median(contender int, figure func(Sample) float64) float64 {
	var all []float64
	for _, s := range r.Samples[contender] {
		all = append(all, figure(s))
	}
	return Median(all)
}

// Ratio returns the median of the ratios of two contenders within each turn.
func (r Result) Ratio(a, b int, figure func(Sample) float64) float64 {
	var all []float64
	for turn := range r.Samples[a] {
		all = append(all, figure(r.Samples[a][turn])/figure(r.Samples[b][turn]))
	}
	return Median(all)
}

// Excess returns the median of the differences of two contenders within each turn.
func (r Result) Excess(a, b int, figure func(Sample) float64) time.Duration {
	var all []float64
	for turn := range r.Samples[a] {
		all = append(all, figure(r.Samples[a][turn])-figure(r.Samples[b][turn]))
	}
	return time.Duration(Median(all) * float64(time.Second))
}

// Peak returns the median of the peaks of one program in bytes, or 0 if unknown.
func (r Result) Peak(contender int, program string) int64 {
	return int64(r.Median(contender, func(s Sample) float64 { return float64(s.Peaks[program]) }))
}

// Median returns the median of some figures, or 0 if there is none.
func Median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}
