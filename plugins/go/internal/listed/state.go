package listed

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// Config is what a listing depends on.
type Config struct {
	// Layout has the modules whose files can change.
	Layout *source.Layout
	// Words are compared as they are: the command, settings, versions.
	Words []string
	// Files are other files whose content matters, by absolute path. They need not exist.
	Files []string
}

// State is what a listing depends on, at one moment.
type State struct {
	// Content is a digest of it. Stat also differs if files were written in between and
	// have the same content again.
	Content, Stat string

	dirs map[string]bool
}

// Has reports whether the files of a directory are part of the state.
func (s State) Has(dir string) bool { return s.dirs[dir] }

// maxEntries bounds the entries of a module's directories.
const maxEntries = 500_000

// Look reads the present state; ok is false if it is not known completely.
func Look(cfg Config) (state State, ok bool) {
	l := looker{reader: cfg.Layout.Reader, content: sha256.New(), stat: sha256.New(), dirs: map[string]bool{}}
	l.add(cfg.Words...)
	for _, file := range cfg.Files {
		l.addIfPresent(file)
	}
	modules := cfg.Layout.Modules()
	slices.SortFunc(modules, func(a, b source.Module) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Dir, b.Dir))
	})
	if cfg.Layout.WorkFile != "" {
		l.addVendor(filepath.Dir(cfg.Layout.WorkFile))
	}
	for _, module := range modules {
		l.add(module.Path, module.Dir)
		l.addVendor(module.Dir)
		if !l.dirs[module.Dir] {
			l.addModule(module.Dir)
		}
	}
	return State{Content: sum(l.content), Stat: sum(l.stat), dirs: l.dirs}, !l.failed && len(modules) > 0
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// looker reads a state.
type looker struct {
	reader        source.Reader
	content, stat hash.Hash
	dirs          map[string]bool
	failed        bool
}

func (l *looker) add(words ...string) {
	for _, word := range words {
		fmt.Fprintf(l.content, "%d:%s", len(word), word)
	}
}

// addIfPresent adds a file that need not exist.
func (l *looker) addIfPresent(path string) {
	if _, err := os.Stat(path); err == nil {
		l.addFile(path)
	} else {
		l.add(path, "does not exist")
	}
}

// addVendor adds whether packages come from the directory vendor below another, which may
// be empty, a link, or beside a go.work file in no module.
func (l *looker) addVendor(dir string) {
	vendor := filepath.Join(dir, "vendor")
	if info, err := os.Stat(vendor); err == nil && info.IsDir() {
		l.add(vendor, "is a directory")
		l.addIfPresent(filepath.Join(vendor, "modules.txt"))
	}
}

// addModule adds the directories that the pattern ./... stands for, and those of nested
// modules, which would belong to it without their go.mod.
func (l *looker) addModule(root string) {
	dirs, files := []string{root}, []string{}
	_, complete := l.reader.Files(root, maxEntries, func(path string, entry fs.DirEntry) bool {
		name := entry.Name()
		switch {
		case !entry.IsDir():
			if matters(name) {
				files = append(files, path)
			}
			return false
		case name == "testdata" || name[0] == '.' || name[0] == '_':
			return false
		}
		dirs = append(dirs, path)
		return true
	})
	l.failed = l.failed || !complete
	for _, dir := range dirs {
		l.dirs[dir] = true
		l.addStat(dir)
	}
	slices.Sort(files)
	embedding := map[string]bool{} // and whether hidden directories, too
	for _, file := range files {
		if src := l.addFile(file); embeds(src) {
			embedding[filepath.Dir(file)] = embedding[filepath.Dir(file)] || embedsHidden(src)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(embedding)) {
		l.addNames(dir, embedding[dir])
	}
}

// matters reports whether a file of this name can be part of a package, or decides what is.
func matters(name string) bool {
	switch name {
	case "go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt", "default.pgo":
		return true
	}
	return isGo(name) || slices.Contains(foreign, filepath.Ext(name))
}

func isGo(name string) bool { return filepath.Ext(name) == ".go" }

// foreign are the extensions of other files of packages; see go/build.
var foreign = []string{
	".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".s", ".S", ".sx", ".swig", ".swigcxx", ".syso",
}

// addFile adds what matters of a file, and returns that.
func (l *looker) addFile(path string) []byte {
	l.addStat(path)
	src, err := l.reader.Bytes(path, source.MaxFile)
	if err != nil {
		l.failed = true
		return nil
	}
	if isGo(path) {
		src = headOf(src)
	}
	l.add(path, string(src))
	return src
}

// directive precedes the patterns of embedded files.
const directive = "//go:embed"

func embeds(src []byte) bool { return bytes.Contains(src, []byte(directive)) }

// embedsHidden reports whether a pattern can match a name in the package's directory that
// begins with a dot.
func embedsHidden(src []byte) bool {
	for line := range bytes.Lines(src) {
		_, patterns, _ := bytes.Cut(line, []byte(directive))
		for pattern := range strings.FieldsSeq(string(patterns)) {
			pattern = strings.TrimPrefix(strings.TrimLeft(pattern, "\"`"), "all:")
			if strings.Contains(pattern, `\`) || pattern != "" && strings.Contains("*?[.", pattern[:1]) {
				return true
			}
		}
	}
	return false
}

// headOf returns the part of a Go file that the go command reads to list its package: what
// precedes the first declaration that is no import. A file that embeds others is read as a
// whole: it depends on the rest what is a directive.
func headOf(src []byte) []byte {
	if embeds(src) {
		return src
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ImportsOnly|parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	end := file.Name.End()
	for _, decl := range file.Decls {
		end = max(end, decl.End())
	}
	at := fset.PositionFor(end, false).Offset
	if line := bytes.IndexByte(src[at:], '\n'); line >= 0 {
		return src[:at+line]
	}
	return src
}

// maxEmbedded bounds the files below a directory that embeds some of them.
const maxEmbedded = 20_000

// addNames adds the names of everything below a directory that can be embedded. Nothing in
// .git can, and in other hidden directories beside the package, such as that of the records,
// which changes with each run, only where a pattern says so.
func (l *looker) addNames(dir string, hidden bool) {
	var names []string
	_, complete := l.reader.Files(dir, maxEmbedded, func(path string, entry fs.DirEntry) bool {
		names = append(names, path+"\x00"+entry.Type().String())
		return entry.Name() != ".git" && (hidden || entry.Name()[0] != '.' || filepath.Dir(path) != dir)
	})
	l.failed = l.failed || !complete
	slices.Sort(names)
	l.add(names...)
}

func (l *looker) addStat(path string) {
	info, err := os.Stat(path)
	if err != nil {
		l.failed = true
		return
	}
	fmt.Fprintf(l.stat, "%s\x00%s\x00%d\x00%d\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
}
