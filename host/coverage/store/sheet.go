package store

import (
	"encoding/binary"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

func encodeSheet(s *coverage.Sheet) []byte {
	w := &writer{}
	w.text(s.Path)
	w.text(s.Digest)
	w.length(len(s.Lines), s.Lines == nil)
	for _, h := range s.Lines {
		w.data = binary.LittleEndian.AppendUint32(w.data, h)
	}
	w.length(len(s.Units), s.Units == nil)
	for _, u := range s.Units {
		w.text(u.Name)
		w.number(int(u.Kind))
		w.number(u.StartLine)
		w.number(u.EndLine)
		w.text(u.Digest)
		w.text(u.Test)
		w.yes(u.Positions)
		w.yes(u.Measuring)
		for _, names := range [][]string{u.State.Defines, u.State.Mentions, u.State.Writes, u.State.Lends, u.State.Shared, u.State.Leaves} {
			w.texts(names)
		}
	}
	w.number(len(s.Blocks))
	for _, b := range s.Blocks {
		w.number(b.StartLine)
		w.number(b.StartColumn)
		w.number(b.EndLine)
		w.number(b.EndColumn)
		w.number(b.Statements)
	}
	return w.data
}

func decodeSheet(r *reader) (*coverage.Sheet, error) {
	s := &coverage.Sheet{Path: r.text(), Digest: r.text()}
	if n, ok := r.length(4); ok {
		s.Lines = make([]uint32, n)
		for i := range s.Lines {
			s.Lines[i] = binary.LittleEndian.Uint32(r.data)
			r.data = r.data[4:]
		}
	}
	if n, ok := r.length(14); ok {
		s.Units = make([]sdk.SourceUnit, 0, n)
		for range n {
			s.Units = append(s.Units, sdk.SourceUnit{
				Name: r.text(), Kind: sdk.UnitKind(r.number()), StartLine: r.number(), EndLine: r.number(),
				Digest: r.text(), Test: r.text(), Positions: r.yes(), Measuring: r.yes(),
				State: sdk.UnitState{
					Defines: r.texts(), Mentions: r.texts(), Writes: r.texts(), Lends: r.texts(), Shared: r.texts(), Leaves: r.texts(),
				},
			})
		}
	}
	if n := r.count(5); n > 0 {
		s.Blocks = make([]sdk.Block, 0, n)
		for range n {
			s.Blocks = append(s.Blocks, sdk.Block{
				StartLine: r.number(), StartColumn: r.number(), EndLine: r.number(), EndColumn: r.number(), Statements: r.number(),
			})
		}
	}
	return s, r.end()
}
