package soak

import (
	"maps"
	"slices"
	"time"
)

// Report is the result of a soak.
type Report struct {
	Runs int // of tests, of all kinds
	Took time.Duration
	// Left are the processes still alive at the end.
	Left []string

	samples []sample
	calls   map[string][]time.Duration
}

func newReport() *Report { return &Report{calls: map[string][]time.Duration{}} }

func (r *Report) took(tool string, d time.Duration) { r.calls[tool] = append(r.calls[tool], d) }

func (r *Report) sampled(s sample) { r.samples = append(r.samples, s) }

// Rounds returns how many rounds were completed.
func (r *Report) Rounds() int { return len(r.samples) }

// Held is something that a server or a record holds: medians of the first and the last
// third, and the maximum.
type Held struct {
	What              string
	First, Last, Most float64
}

// Ratio returns the amount at the end relative to that at the beginning.
func (h Held) Ratio() float64 {
	if h.First == 0 {
		if h.Last == 0 {
			return 1
		}
		return h.Last + 1 // any amount is growth
	}
	return h.Last / h.First
}

// Held returns everything that was sampled, by name.
func (r *Report) Held() []Held {
	names := map[string]bool{}
	for _, s := range r.samples {
		for name := range s {
			names[name] = true
		}
	}
	var all []Held
	third := max(len(r.samples)/3, 1)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var values []float64
		for _, s := range r.samples {
			values = append(values, s[name])
		}
		all = append(all, Held{What: name, First: median(values[:third]), Last: median(values[len(values)-third:]), Most: slices.Max(values)})
	}
	return all
}

// Calls are the calls of one kind: how many, and for each tenth of them the median and
// the time within which 19 of 20 were answered.
type Calls struct {
	What        string
	Number      int
	Median, P95 [10]time.Duration
	// Ratio is the median of the last third relative to that of the first.
	Ratio float64
}

// Calls returns all kinds with enough calls for ten tenths.
func (r *Report) Calls() []Calls {
	var all []Calls
	for _, name := range slices.Sorted(maps.Keys(r.calls)) {
		took := r.calls[name]
		if len(took) < 10 {
			continue
		}
		c := Calls{What: name, Number: len(took)}
		for i := range 10 {
			part := slices.Sorted(slices.Values(took[i*len(took)/10 : (i+1)*len(took)/10]))
			c.Median[i], c.P95[i] = median(part), part[(len(part)*19)/20]
		}
		third := len(took) / 3
		c.Ratio = float64(median(took[len(took)-third:])) / float64(median(took[:third]))
		all = append(all, c)
	}
	return all
}

func median[T float64 | time.Duration](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
