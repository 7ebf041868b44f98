package shard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestEveryTestIsInOneGuidedPart(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		suites, timings := draw(r)
		slots := 1 + r.IntN(9)
		parts := Guided(suites, slots, timings)
		if len(parts) > api.MaxShards || !isPartition(parts) || countSuites(parts) != len(suites) {
			t.Fatalf("seed %d: %d parts, of %d suites %d", seed, len(parts), len(suites), countSuites(parts))
		}
		for _, s := range suites {
			n := 0
			for _, part := range parts {
				for _, p := range part {
					switch {
					case p.Suite != s.Name:
					case p.Tests == nil:
						n += len(s.Tests)
					case s.Whole:
						t.Fatalf("seed %d: %s is cut", seed, s.Name)
					default:
						n += len(p.Tests)
					}
				}
			}
			if n != len(s.Tests) {
				t.Fatalf("seed %d: %d tests of %s, which has %d", seed, n, s.Name, len(s.Tests))
			}
		}
		r.Shuffle(len(suites), func(i, j int) { suites[i], suites[j] = suites[j], suites[i] })
		if again := Guided(suites, slots, timings); !reflect.DeepEqual(parts, again) {
			t.Fatalf("seed %d: another order of suites leads to another plan", seed)
		}
	}
}

func TestNothingIsOneGuidedPart(t *testing.T) {
	t.Parallel()
	if parts := Guided(nil, 4, Timings{}); len(parts) != 1 || len(parts[0]) != 0 {
		t.Errorf("%v", parts)
	}
}

// A million tests run on 200 machines of unequal speed, two of which die for good: what was
// in progress there is found dead after ten seconds and runs again. The estimates come from
// an earlier run.
func TestAMillionTestsOn200MachinesEndNearTheIdeal(t *testing.T) {
	t.Parallel()
	const slots, nSuites, perSuite, pull, found = 200, 20_000, 50, 0.1, 10
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 3))
		timings := Timings{tests: map[sdk.TestID]float64{}}
		truth := make(map[string]float64, nSuites)
		suites := make([]Suite, nSuites)
		total := 0.0
		for i := range suites {
			s := Suite{Name: fmt.Sprintf("s%05d", i), Whole: true, Tests: []string{"all"}}
			known := 0.0
			for range perSuite {
				took := 0.02 * math.Exp(r.NormFloat64()*1.5)
				truth[s.Name] += took
				known += took * math.Exp(r.NormFloat64()*0.3)
			}
			if total += truth[s.Name]; r.IntN(20) > 0 {
				timings.tests[sdk.TestID{Suite: s.Name, Test: "all"}] = known
			}
			suites[i] = s
		}
		parts := Guided(suites, slots, timings)
		speed, ideal := make([]float64, slots), 0.0
		for i := range speed {
			speed[i] = math.Exp(r.NormFloat64() * 0.15)
			ideal += speed[i]
		}
		ideal = total / ideal
		end := simulate(parts, truth, speed, map[int]float64{3: ideal / 2, 7: ideal / 3}, pull, found)
		t.Logf("seed %d: %d parts, %.1f s, %.3f of the ideal", seed, len(parts), end, end/ideal)
		if end > 1.05*ideal {
			t.Errorf("seed %d: %.3f of the ideal", seed, end/ideal)
		}
	}
}

// simulate hands out parts in their order to the next free machine, and returns when the
// last ends. dies are the machines that die, and when.
func simulate(parts [][]Piece, truth map[string]float64, speed []float64, dies map[int]float64, pull, found float64) float64 {
	type waiting struct {
		part []Piece
		from float64
	}
	var queue []waiting
	for _, p := range parts {
		queue = append(queue, waiting{part: p})
	}
	free := make([]float64, len(speed))
	end := 0.0
	for len(queue) > 0 {
		at := 0
		for i, f := range free {
			if f < free[at] {
				at = i
			}
		}
		next := slices.IndexFunc(queue, func(w waiting) bool { return w.from <= free[at] })
		if next < 0 {
			free[at] = queue[0].from
			continue
		}
		part := queue[next].part
		queue = slices.Delete(queue, next, next+1)
		took := 0.0
		for _, p := range part {
			took += truth[p.Suite]
		}
		until := free[at] + pull + took/speed[at]
		if dead, mortal := dies[at]; mortal && until > dead {
			// The engine hands it out behind what waits already: a part for each machine.
			queue = slices.Insert(queue, min(len(queue), len(speed)), waiting{part, dead + found})
			free[at] = 1e12
			continue
		}
		free[at] = until
		end = max(end, until)
	}
	return end
}

// Parts have starts, which must be worth it: two suites that nearly fill one do not become
// two.
func TestOnlyTheLastGuidedPartIsShort(t *testing.T) {
	t.Parallel()
	timings := Timings{fixed: 0.5, tests: map[sdk.TestID]float64{}}
	var suites []Suite
	for i := range 100 {
		s := Suite{Name: fmt.Sprintf("s%02d", i), Tests: []string{"all"}}
		timings.tests[sdk.TestID{Suite: s.Name, Test: "all"}] = 0.6
		suites = append(suites, s)
	}
	d := newWeights(suites, timings).guide(4, leastSeconds)
	for i, load := range d.loads[:len(d.loads)-1] {
		if load < leastSeconds {
			t.Errorf("part %d of %d takes %.1f s", i+1, len(d.loads), load)
		}
	}
}
