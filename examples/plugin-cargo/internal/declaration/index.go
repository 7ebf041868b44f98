package declaration

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
)

// Bounds on one index: far above the sources of any Rust target, but small enough to read
// quickly.
const (
	maxFiles     = 5000
	maxFileSize  = 4 << 20
	maxTotalSize = 128 << 20
)

// Place is where a function is declared. File is slash-separated and relative to the
// root of the index.
type Place struct {
	File string
	Line int
}

// Index maps test names, as libtest prints them, to the functions of a target.
type Index struct {
	places    map[string]Place
	ambiguous map[string]bool

	root  *os.Root
	seen  map[string]bool
	bytes int
}

// New reads the sources of the target that begins with the file source, which is
// slash-separated and relative to root. It skips anything outside of root or
// unreadable: the index then has fewer places.
func New(ctx context.Context, root, source string) *Index {
	x := &Index{places: map[string]Place{}, ambiguous: map[string]bool{}, seen: map[string]bool{}}
	if !filepath.IsLocal(source) {
		return x
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return x
	}
	defer dir.Close()
	x.root = dir
	x.readSource(ctx, source, path.Dir(source), "")
	return x
}

// Find returns where a test is declared.
func (x *Index) Find(test string) (Place, bool) {
	p, ok := x.places[test]
	return p, ok && !x.ambiguous[test]
}

// Names returns the names of all tests found, and whether each was found once.
func (x *Index) Names() ([]string, bool) {
	names := make([]string, 0, len(x.places))
	for name := range x.places {
		names = append(names, name)
	}
	return names, len(x.ambiguous) == 0
}

func (x *Index) add(name string, p Place) {
	if _, ok := x.places[name]; ok {
		x.ambiguous[name] = true
		return
	}
	x.places[name] = p
}

// readSource reads one file. Modules that it declares are in dir; module is the prefix of
// the names in it.
func (x *Index) readSource(ctx context.Context, name, dir, module string) bool {
	if ctx.Err() != nil || len(x.seen) == maxFiles || x.bytes > maxTotalSize {
		return false
	}
	// With a path attribute a file may be several modules, or include itself endlessly.
	if key := module + "\x00" + name; x.seen[key] || len(module) > maxFileSize {
		return true
	} else {
		x.seen[key] = true
	}
	src, ok := x.readContent(name)
	if !ok {
		return false
	}
	x.bytes += len(src)
	w := walker{index: x, ctx: ctx, file: name, scanner: scanner{src: src, line: 1}}
	w.readModule(dir, module)
	return true
}

func (x *Index) readContent(name string) (string, bool) {
	local := filepath.FromSlash(name)
	// Before opening: opening a named pipe would wait for its other end.
	if info, err := x.root.Stat(local); err != nil || !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return "", false
	}
	file, err := x.root.Open(local)
	if err != nil {
		return "", false
	}
	defer file.Close()
	src, err := io.ReadAll(io.LimitReader(file, maxFileSize))
	return string(src), err == nil
}
