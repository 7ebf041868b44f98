package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
)

// recordedRounds is how many rounds a recording of ratios takes; the difference between them
// is the noise.
const recordedRounds = 2

// leastSlack is the share by which a ratio may be worse than recorded even if the recorded
// rounds hardly differed.
const leastSlack = 0.03

// baseline holds recorded ratios by what they compare. Times depend on the machine; ratios of
// programs measured in turns hardly do.
type baseline map[string]spread

// spread holds the extremes of a ratio over the recorded rounds.
type spread struct {
	Best  float64 `json:"best"`
	Worst float64 `json:"worst"`
}

// add adds the ratios of a round.
func (b baseline) add(goals []goal) {
	for _, g := range goals {
		if g.ratio == 0 {
			continue
		}
		s, known := b[g.what]
		if !known {
			s = spread{g.ratio, g.ratio}
		}
		if g.isWorse(g.ratio, s.Worst) {
			s.Worst = g.ratio
		}
		if g.isWorse(s.Best, g.ratio) {
			s.Best = g.ratio
		}
		b[g.what] = s
	}
}

// isWorse reports whether one ratio of the goal is worse than another.
func (g goal) isWorse(a, b float64) bool {
	if g.more {
		return a < b
	}
	return a > b
}

// findRegressions describes the ratios of a round that are worse than recorded by more than
// the noise. It is an error if no ratio was recorded.
func (b baseline) findRegressions(goals []goal) ([]string, error) {
	var worse []string
	compared := 0
	for _, g := range goals {
		s, known := b[g.what]
		if !known || g.ratio == 0 {
			continue
		}
		compared++
		slack := math.Abs(s.Best-s.Worst) + leastSlack*s.Worst
		limit := s.Worst + slack
		if g.more {
			limit = s.Worst - slack
		}
		if g.isWorse(g.ratio, limit) {
			worse = append(worse, fmt.Sprintf("%s: %.2f×, recorded %.2f× to %.2f×", g.what, g.ratio, s.Best, s.Worst))
		}
	}
	if compared == 0 {
		return nil, errors.New("none of the recorded ratios was measured")
	}
	return worse, nil
}

// record measures several rounds and writes their ratios to a file, beside those of areas
// that were not measured.
func (b *bench) record(ctx context.Context, chosen []area, path string) error {
	ratios, err := readBaseline(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	now := baseline{}
	for range recordedRounds {
		b.tables = tables{}
		if err := b.measure(ctx, chosen); err != nil {
			return err
		}
		now.add(b.goals)
	}
	if ratios == nil {
		ratios = baseline{}
	}
	for what, s := range now {
		ratios[what] = s
	}
	raw, err := json.MarshalIndent(ratios, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

// check measures a round, and another if a ratio is worse than recorded. It fails if one still
// is.
func (b *bench) check(ctx context.Context, chosen []area, path string) error {
	ratios, err := readBaseline(path)
	if err != nil {
		return err
	}
	var worse []string
	for range 2 {
		b.tables = tables{}
		if err := b.measure(ctx, chosen); err != nil {
			return err
		}
		if worse, err = ratios.findRegressions(b.goals); err != nil || len(worse) == 0 {
			return err
		}
	}
	return fmt.Errorf("worse than in %s by more than noise, twice:\n%s", path, strings.Join(worse, "\n"))
}

func readBaseline(path string) (baseline, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var b baseline
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}
