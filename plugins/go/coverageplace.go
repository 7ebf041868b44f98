package gotest

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// withFilePaths returns the same coverage with file paths, without files outside of the
// workspace and files whose blocks are not where the profile says.
func (r coverageReader) withFilePaths(measured sdk.SuiteCoverage) sdk.SuiteCoverage {
	placed := measured
	placed.Files, placed.Tests = nil, nil
	var numbers []int
	kept := 0
	for _, file := range measured.Files {
		name, inside := r.relativePath(file.File)
		var src []byte
		if inside {
			src, inside = r.asWritten(name, file.Blocks)
		}
		for range file.Blocks {
			number := -1
			if inside {
				number = kept
				kept++
			}
			numbers = append(numbers, number)
		}
		if inside {
			placed.Files = append(placed.Files, sdk.CoveredFile{File: name, Blocks: widenCases(src, file.Blocks)})
		}
	}
	placed.Whole = profile.Renumber(measured.Whole, numbers)
	placed.StartUp = profile.Renumber(measured.StartUp, numbers)
	for _, test := range measured.Tests {
		test.Blocks = profile.Renumber(test.Blocks, numbers)
		placed.Tests = append(placed.Tests, test)
	}
	return placed
}

// relativePath converts a file name of a profile to a path relative to the root, if it is
// below. A profile has the import path of the package and the name of the file or, for
// packages without one, the path.
func (r coverageReader) relativePath(name string) (string, bool) {
	dir, known := "", false
	full := filepath.FromSlash(strings.TrimPrefix(name, "_"))
	switch {
	case filepath.IsAbs(full):
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"):
		full = filepath.Join(r.layout.Root, full)
	default:
		if dir, known = r.layout.Dir(path.Dir(name)); !known {
			return "", false
		}
		full = filepath.Join(dir, path.Base(name))
	}
	rel, err := filepath.Rel(r.layout.Root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// asWritten returns a file's source if its blocks are where its lines are. In a file
// with //line directives, as written by generators, they are elsewhere, some under the
// name of another file, so such a file counts as not measured.
func (r coverageReader) asWritten(name string, blocks []sdk.Block) (src []byte, is bool) {
	for _, b := range blocks {
		if b.StartLine < 1 || b.StartColumn < 1 || b.EndColumn < 1 ||
			b.EndLine < b.StartLine || b.EndLine == b.StartLine && b.EndColumn < b.StartColumn {
			return nil, false
		}
	}
	if !strings.HasSuffix(name, ".go") {
		return nil, false
	}
	src, err := r.layout.Reader.Bytes(filepath.Join(r.layout.Root, filepath.FromSlash(name)), source.MaxFile)
	return src, err == nil && !hasLineDirective(src)
}

// hasLineDirective reports whether a source has a comment that changes positions, or
// text that looks like one; see https://pkg.go.dev/cmd/compile#hdr-Line_Directives.
func hasLineDirective(src []byte) bool {
	return bytes.HasPrefix(src, []byte("//line ")) || bytes.Contains(src, []byte("\n//line ")) || bytes.Contains(src, []byte("/*line "))
}
