package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Plan is everything that the shards of a run have to agree on.
type Plan struct {
	Language string `json:"language"`
	// Parts are those of all shards, in their order.
	Parts [][]Piece `json:"parts"`
	// Selection is what was asked for.
	Selection api.Selection `json:"selection"`
	// Fingerprint is the state of the sources, Timings the digest of the recorded
	// durations; either may be empty.
	Fingerprint string `json:"fingerprint"`
	Timings     string `json:"timings"`
}

// Digest identifies the plan.
func (p Plan) Digest() string {
	p.Selection = requested(p.Selection)
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err) // it consists of texts
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// requested is a selection without what differs from shard to shard.
func requested(s api.Selection) api.Selection {
	s.Shard, s.Selected, s.Total = "", 0, 0
	return s
}

// Of describes a shard of the plan.
func (p Plan) Of(index int) api.Shard {
	s := api.Shard{
		Index: index, Of: len(p.Parts), Plan: p.Digest(), Planned: []api.PlannedSuite{}, Elsewhere: []api.ShardPart{},
		SuitesTotal: countSuites(p.Parts), Timings: p.Timings,
	}
	for i, part := range p.Parts {
		planned := []api.PlannedSuite{}
		for _, piece := range part {
			planned = append(planned, api.PlannedSuite{Suite: piece.Suite, Tests: piece.Tests})
		}
		if i+1 == index {
			s.Planned = planned
			continue
		}
		s.Elsewhere = append(s.Elsewhere, api.ShardPart{Index: i + 1, Planned: planned})
	}
	return s
}

// planOf returns the plan that a shard says it is part of; ok is false if its lists are
// not those of a plan.
func planOf(run api.Run) (p Plan, ok bool) {
	s := *run.Shard
	p = Plan{Language: run.Language, Parts: make([][]Piece, s.Of), Selection: run.Selection, Timings: s.Timings}
	if run.Source != nil {
		p.Fingerprint = run.Source.Fingerprint
	}
	for _, part := range append(slices.Clone(s.Elsewhere), api.ShardPart{Index: s.Index, Planned: s.Planned}) {
		if part.Index < 1 || part.Index > s.Of || p.Parts[part.Index-1] != nil {
			return p, false
		}
		pieces := []Piece{}
		for _, planned := range part.Planned {
			pieces = append(pieces, Piece{Suite: planned.Suite, Tests: planned.Tests})
		}
		p.Parts[part.Index-1] = pieces
	}
	complete := !slices.ContainsFunc(p.Parts, func(part []Piece) bool { return part == nil })
	return p, complete && isPartition(p.Parts) && countSuites(p.Parts) == s.SuitesTotal
}

// isPartition reports whether no suite and no test has two places.
func isPartition(parts [][]Piece) bool {
	type place struct{ whole, cut bool }
	suites := map[string]place{}
	tests := map[sdk.TestID]bool{}
	for _, part := range parts {
		here := map[string]bool{}
		for _, p := range part {
			was := suites[p.Suite]
			if here[p.Suite] || was.whole || p.Tests == nil && was.cut {
				return false
			}
			here[p.Suite] = true
			suites[p.Suite] = place{whole: p.Tests == nil, cut: p.Tests != nil}
			for _, t := range p.Tests {
				if tests[p.asTest(t)] {
					return false
				}
				tests[p.asTest(t)] = true
			}
		}
	}
	return true
}

func countSuites(parts [][]Piece) int {
	suites := map[string]bool{}
	for _, part := range parts {
		for _, p := range part {
			suites[p.Suite] = true
		}
	}
	return len(suites)
}
