package declaration

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

// maxHeld bounds the bytes of sources kept in memory. Beyond it all are dropped, and
// read again when needed. Large projects have some 10 MB.
const maxHeld = 64 << 20

// sources caches sources by path.
type sources struct {
	project *artifact.Project
	// ctx belongs to the question being answered; see Finder.opened.
	ctx   context.Context
	held  int
	files map[string]*source
}

// source is one source. Its lines and declarations are computed on first use.
type source struct {
	text   []byte
	breaks []int // offsets of line feeds
	file   *solidity.File
}

func newSources(ctx context.Context, project *artifact.Project) *sources {
	return &sources{project: project, ctx: ctx, files: map[string]*source{}}
}

// get returns a source, or false if it cannot be read.
func (s *sources) get(path string) (*source, bool) {
	if known, ok := s.files[path]; ok {
		return known, known != nil
	}
	text, err := s.project.Source(s.ctx, path)
	if s.ctx.Err() != nil {
		return nil, false
	}
	if s.held += len(text) + len(path); s.held > maxHeld {
		clear(s.files)
		s.held = len(text)
	}
	if err != nil {
		s.files[path] = nil
		return nil, false
	}
	s.files[path] = &source{text: text}
	return s.files[path], true
}

func (s *sources) parsed(path string) (*solidity.File, bool) {
	src, ok := s.get(path)
	if !ok {
		return nil, false
	}
	if src.file == nil {
		src.file = solidity.Parse(src.text)
	}
	return src.file, true
}

// position returns the line and column of an offset. Both count from 1, columns in
// bytes.
func (s *source) position(offset int) (line, column int) {
	if s.breaks == nil {
		s.breaks = []int{-1}
		for i := 0; ; i++ {
			n := bytes.IndexByte(s.text[i:], '\n')
			if n < 0 {
				break
			}
			i += n
			s.breaks = append(s.breaks, i)
		}
	}
	line, _ = slices.BinarySearch(s.breaks, offset)
	return line, offset - s.breaks[line-1]
}

func (s *state) location(path string, src *source, offset int) sdk.Location {
	line, column := src.position(offset)
	if !filepath.IsLocal(filepath.FromSlash(path)) && !filepath.IsAbs(path) {
		path = filepath.ToSlash(filepath.Join(s.cfg.Artifacts.Root, path))
	}
	return sdk.Location{File: path, Line: line, Column: column}
}
