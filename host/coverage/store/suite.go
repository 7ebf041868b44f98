package store

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// perSecond is the unit of stored durations: 10 µs, up to six hours.
const perSecond = 1e5

// encodeSuite encodes a suite, with the names of its sheets in their place.
func encodeSuite(s *coverage.Suite, dir string, sheets []string) []byte {
	w := &writer{}
	w.text(dir)
	w.text(s.Language)
	w.text(s.Suite)
	w.text(s.Setting)
	at, _ := s.MeasuredAt.UTC().MarshalBinary() // fails only for time zones
	w.bytes(at)
	w.text(string(s.Granularity))
	w.text(s.Why)
	w.yes(s.Cut)
	w.text(s.Opaque)
	w.text(s.Partial)
	w.number(len(s.Inputs))
	for _, path := range slices.Sorted(maps.Keys(s.Inputs)) {
		w.text(path)
		w.text(s.Inputs[path])
		w.yes(s.Built[path])
	}
	w.texts(s.Patterns)
	w.texts(sheets)
	w.bytes(s.Whole)
	w.bytes(s.StartUp)
	w.number(len(s.Tests))
	for _, t := range s.Tests {
		w.text(t.Name)
		w.bytes(t.Blocks)
		w.texts(t.Reads)
		w.text(t.Opaque)
		w.text(t.Partial)
		w.text(string(t.Alone))
		w.text(string(t.Together))
		w.number(int(min(max(t.DurationS*perSecond, 0), math.MaxInt32)))
	}
	return w.data
}

// head is the start of a suite. It names the directory it was written to: what came
// with a copy of a workspace, or with a repository, was measured elsewhere.
type head struct{ dir, language, suite, setting string }

func decodeHead(r *reader) head { return head{r.text(), r.text(), r.text(), r.text()} }

// decodeSuite decodes what follows a head, and the names of the sheets.
func decodeSuite(r *reader, h head) (s *coverage.Suite, sheets []string, err error) {
	s = &coverage.Suite{Language: h.language, Suite: h.suite, Setting: h.setting, Inputs: map[string]string{}, Built: map[string]bool{}}
	var at time.Time
	if at.UnmarshalBinary(r.bytes()) != nil {
		return nil, nil, errDamaged
	}
	s.MeasuredAt, s.Granularity, s.Why, s.Cut, s.Opaque, s.Partial = at.UTC(), api.Granularity(r.text()), r.text(), r.yes(), r.text(), r.text()
	if s.Granularity != api.GranularityTest && s.Granularity != api.GranularitySuite {
		return nil, nil, errDamaged
	}
	for range r.count(3) {
		path := r.text()
		s.Inputs[path] = r.text()
		if r.yes() {
			s.Built[path] = true
		}
	}
	s.Patterns, sheets = r.texts(), r.texts()
	s.Whole, s.StartUp = r.bytes(), r.bytes()
	if n := r.count(8); n > 0 {
		s.Tests = make([]coverage.Test, 0, n)
		for range n {
			s.Tests = append(s.Tests, coverage.Test{
				Name: r.text(), Blocks: r.bytes(), Reads: r.texts(), Opaque: r.text(), Partial: r.text(),
				Alone: sdk.Status(r.text()), Together: sdk.Status(r.text()), DurationS: float64(r.number()) / perSecond,
			})
		}
	}
	return s, sheets, r.end()
}
