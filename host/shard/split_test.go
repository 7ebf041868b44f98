package shard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func draw(r *rand.Rand) ([]Suite, Timings) {
	var suites []Suite
	t := Timings{fixed: 0.5, tests: map[sdk.TestID]float64{}}
	for i := range 1 + r.IntN(30) {
		s := Suite{Name: fmt.Sprintf("s%02d", i), Whole: r.IntN(5) == 0}
		for n := range r.IntN(20) {
			name := fmt.Sprintf("T%02d", n)
			s.Tests = append(s.Tests, name)
			if r.IntN(4) > 0 {
				t.tests[sdk.TestID{Suite: s.Name, Test: name}] = r.ExpFloat64()
			}
		}
		suites = append(suites, s)
	}
	if r.IntN(3) == 0 {
		t = Timings{}
	}
	return suites, t
}

func TestEveryTestIsInOnePartWhateverTheOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		suites, timings := draw(r)
		of := 1 + r.IntN(9)
		parts := Split(suites, of, timings)
		if len(parts) != of || !isPartition(parts) || countSuites(parts) != len(suites) {
			t.Fatalf("seed %d: %d parts of %d, of %d suites %d", seed, len(parts), of, len(suites), countSuites(parts))
		}
		tests := map[string]int{}
		for _, part := range parts {
			for _, p := range part {
				i := slices.IndexFunc(suites, func(s Suite) bool { return s.Name == p.Suite })
				if p.Tests == nil {
					tests[p.Suite] = len(suites[i].Tests)
					continue
				}
				if suites[i].Whole {
					t.Fatalf("seed %d: %s is cut", seed, p.Suite)
				}
				tests[p.Suite] += len(p.Tests)
			}
		}
		for _, s := range suites {
			if tests[s.Name] != len(s.Tests) {
				t.Fatalf("seed %d: %d tests of %s, which has %d", seed, tests[s.Name], s.Name, len(s.Tests))
			}
		}
		r.Shuffle(len(suites), func(i, j int) { suites[i], suites[j] = suites[j], suites[i] })
		for _, s := range suites {
			r.Shuffle(len(s.Tests), func(i, j int) { s.Tests[i], s.Tests[j] = s.Tests[j], s.Tests[i] })
		}
		if again := Split(suites, of, timings); !reflect.DeepEqual(parts, again) {
			t.Fatalf("seed %d: another order of suites leads to another plan", seed)
		}
	}
}

func TestLongestSuitesAreDealtFirstAndTooLongOnesAreCut(t *testing.T) {
	t.Parallel()
	timings := Timings{tests: map[sdk.TestID]float64{
		{Suite: "a", Test: "A"}: 5, {Suite: "b", Test: "B"}: 4, {Suite: "c", Test: "C"}: 3, {Suite: "d", Test: "D"}: 3, {Suite: "e", Test: "E"}: 3,
	}}
	one := func(name, test string) Suite { return Suite{Name: name, Tests: []string{test}} }
	suites := []Suite{one("a", "A"), one("b", "B"), one("c", "C"), one("d", "D"), one("e", "E")}
	// 9 each, where the longest first alone come to 8 and 10.
	got := fmt.Sprint(Split(suites, 2, timings))
	if want := "[[{a []} {b []}] [{c []} {d []} {e []}]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	big := Suite{Name: "big"}
	for n := range 10 {
		big.Tests = append(big.Tests, fmt.Sprintf("T%d", n))
	}
	loads := Loads(Split([]Suite{big, one("a", "A")}, 4, Timings{}), []Suite{big, one("a", "A")}, Timings{})
	if slices.Max(loads) > 3 {
		t.Errorf("ten tests and one in four parts: %v", loads)
	}
	big.Whole = true
	if parts := Split([]Suite{big}, 4, Timings{}); len(parts[0]) != 1 || len(parts[1])+len(parts[2])+len(parts[3]) != 0 {
		t.Errorf("what must not be cut: %v", parts)
	}
}

func TestAPlansDigestCoversAllThatDecidesIt(t *testing.T) {
	t.Parallel()
	plan := func(change func(*Plan)) string {
		p := Plan{Language: "go", Parts: [][]Piece{{{Suite: "a"}}, {{Suite: "b", Tests: []string{"T"}}}}, Fingerprint: "f", Timings: "t"}
		change(&p)
		return p.Digest()
	}
	same := plan(func(*Plan) {})
	if plan(func(p *Plan) { p.Selection.Shard, p.Selection.Selected, p.Selection.Total = "1/2", 3, 4 }) != same {
		t.Error("what differs from shard to shard is part of the plan")
	}
	for name, change := range map[string]func(*Plan){
		"language":  func(p *Plan) { p.Language = "x" },
		"partition": func(p *Plan) { p.Parts[0], p.Parts[1] = p.Parts[1], p.Parts[0] },
		"suites":    func(p *Plan) { p.Parts[0] = nil },
		"tests":     func(p *Plan) { p.Parts[1][0].Tests = []string{"U"} },
		"selection": func(p *Plan) { p.Selection.RunnerArgs = []string{"-race"} },
		"sources":   func(p *Plan) { p.Fingerprint = "g" },
		"timings":   func(p *Plan) { p.Timings = "" },
	} {
		if plan(change) == same {
			t.Errorf("%s: not part of the plan", name)
		}
	}
}

func TestInvalidTimingsAreRefused(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`{"schema":"proctor.timings/v1","languages":{"go":{"s":{"T":1.5}}}}`:   true,
		`{"schema":"proctor.timings/v1"}`:                                      true,
		`{"schema":"proctor.timings/v2","languages":{}}`:                       false,
		`{"schema":"proctor.timings/v1","languages":{"go":{"s":{"T":-1}}}}`:    false,
		`{"schema":"proctor.timings/v1","languages":{"go":{"s":{"T":1e999}}}}`: false,
		`{"schema":"proctor.timings/v1","per_suite_s":-2,"languages":{}}`:      false,
		`[`: false,
	} {
		if _, err := ReadTimings([]byte(text), "go"); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	raw, _ := json.Marshal(api.Timings{Schema: api.TimingsSchema, Languages: map[string]map[string]map[string]float64{"go": {"s": {"T": 2}}}})
	if got, err := ReadTimings(raw, "go"); err != nil || got.tests[sdk.TestID{Suite: "s", Test: "T"}] != 2 || got.Digest == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func BenchmarkSplit(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	timings := Timings{fixed: 0.5, tests: map[sdk.TestID]float64{}}
	var suites []Suite
	for i := range 2000 {
		s := Suite{Name: fmt.Sprintf("s%04d", i)}
		for n := range r.IntN(20) {
			s.Tests = append(s.Tests, fmt.Sprint("T", n))
			timings.tests[sdk.TestID{Suite: s.Name, Test: s.Tests[n]}] = r.ExpFloat64()
		}
		suites = append(suites, s)
	}
	for b.Loop() {
		Split(suites, 20, timings)
	}
}
