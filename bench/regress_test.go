package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestOnlyMoreThanNoiseIsARegression(t *testing.T) {
	ratios := baseline{}
	for _, round := range []float64{1, 1.125, 1.0625} {
		b := &tables{}
		b.atLeast("speed", 3*round, 3)
		b.atMost("cost", round, 2)
		b.within("wall", 20*round, 20, "ms")
		ratios.add(b.goals)
	}
	if want := (baseline{"speed": {Best: 3.375, Worst: 3}, "cost": {Best: 1, Worst: 1.125}}); len(ratios) != 2 || ratios["speed"] != want["speed"] || ratios["cost"] != want["cost"] {
		t.Fatalf("%+v", ratios)
	}
	for _, c := range []struct {
		speed, cost float64
		worse       int
	}{{3, 1.125, 0}, {9, 0.1, 0}, {2.6, 1.2, 0}, {2.5, 1.2, 1}, {2.6, 1.3, 1}, {2, 2, 2}} {
		b := &tables{}
		b.atLeast("speed", c.speed, 3)
		b.atMost("cost", c.cost, 2)
		worse, err := ratios.findRegressions(b.goals)
		if err != nil || len(worse) != c.worse {
			t.Errorf("%+v: %q, %v", c, worse, err)
		}
	}
	if _, err := ratios.findRegressions([]goal{{what: "other", ratio: 1}}); err == nil {
		t.Error("no error although nothing was compared")
	}
}

func TestTheCommittedRatiosCanBeRead(t *testing.T) {
	ratios, err := readBaseline(filepath.Join("testdata", "ratios.json"))
	if err != nil || len(ratios) == 0 {
		t.Fatalf("%d ratios, %v", len(ratios), err)
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	testfiles.Write(t, broken, "{")
	if _, err := readBaseline(broken); err == nil || !strings.Contains(err.Error(), broken) {
		t.Errorf("got %v, want an error that names %s", err, broken)
	}
}
