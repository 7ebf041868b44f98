package trace

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// maxTexts bounds the bytes of sources that are read.
const maxTexts = 64 << 20

// texts reads the sources of a project.
type texts struct {
	project *artifact.Project
	root    string
	libs    []string
	read    int
	files   map[string]*file
}

// file is one source as the compiler saw it: forge converts Windows line ends before it
// compiles.
type file struct {
	text  []byte
	lines []int // where each line begins
}

func newTexts(project *artifact.Project, root string, libs []string) *texts {
	t := &texts{project: project, root: root, files: map[string]*file{}}
	for _, lib := range libs {
		if filepath.IsAbs(lib) {
			rel, err := filepath.Rel(root, lib)
			if err != nil {
				continue
			}
			lib = rel
		}
		t.libs = append(t.libs, path.Clean(filepath.ToSlash(lib)))
	}
	return t
}

// isOwn reports whether name is a file of the project itself: below its root, and neither
// in a library nor one of the assertion files that projects copy.
func (t *texts) isOwn(name string) bool {
	if name == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	for _, lib := range t.libs {
		if lib != "." && (name == lib || strings.HasPrefix(name, lib+"/")) {
			return false
		}
	}
	dir, base := path.Split(name)
	for _, part := range strings.Split(strings.ToLower(dir), "/") {
		switch {
		case part == "node_modules", part == "prb-test":
			return false
		case strings.Contains(part, "forge-std"), strings.Contains(part, "ds-test"):
			return false
		}
	}
	switch base {
	case "DSTest.sol", "DSTestPlus.sol", "DSInvariantTest.sol", "PRBTest.sol", "StdAssertions.sol":
		return false
	case "TestPlus.sol", "SoladyTest.sol": // of solady, both in its own repository and copied
		return false
	}
	return true
}

// span returns part of a source of the project, or nil.
func (t *texts) span(ctx context.Context, source string, start, length int) []byte {
	f := t.file(ctx, source)
	if f == nil || start < 0 || length <= 0 || start > len(f.text)-length {
		return nil
	}
	return f.text[start : start+length]
}

// line returns the line and column, from 1, of an offset that span accepted.
func (t *texts) line(ctx context.Context, source string, offset int) (line, column int) {
	f := t.file(ctx, source)
	line = sort.SearchInts(f.lines, offset+1)
	return line, offset - f.lines[line-1] + 1
}

func (t *texts) file(ctx context.Context, source string) *file {
	f, ok := t.files[source]
	if !ok {
		if t.isOwn(source) {
			f = t.load(ctx, source)
		}
		t.files[source] = f
	}
	return f
}

// load reads a source if it is still the one that was compiled.
func (t *texts) load(ctx context.Context, source string) *file {
	if t.read >= maxTexts || !t.project.IsFresh(ctx, source) {
		return nil
	}
	text, err := t.project.Source(ctx, source)
	if err != nil {
		return nil
	}
	t.read += len(text)
	f := &file{text: bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), lines: []int{0}}
	for i, c := range f.text {
		if c == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}
