package listed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
		if _, err := os.Stat(file); err == nil {
			l.addFile(file)
		} else {
			l.add(file, "does not exist")
		}
	}
	modules := cfg.Layout.Modules()
	for _, module := range modules {
		l.add(module.Path, module.Dir)
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
	embedding := ""
	for _, file := range files {
		if dir := filepath.Dir(file); l.addFile(file) && embedding != dir {
			embedding = dir
			l.addNames(dir)
		}
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

// addFile adds what matters of a file, and reports whether it embeds others.
func (l *looker) addFile(path string) (embeds bool) {
	l.addStat(path)
	src, err := l.reader.Bytes(path, source.MaxFile)
	if err != nil {
		l.failed = true
		return false
	}
	if isGo(path) {
		src, embeds = headOf(src)
	}
	l.add(path, string(src))
	return embeds
}

// headOf returns the part of a Go file that the go command reads to list its package: what
// precedes the first declaration that is no import. A file that embeds others is read as a
// whole: it depends on the rest what is a directive.
func headOf(src []byte) (head []byte, embeds bool) {
	if bytes.Contains(src, []byte("//go:embed")) {
		return src, true
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ImportsOnly|parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return src, false
	}
	end := file.Name.End()
	for _, decl := range file.Decls {
		end = max(end, decl.End())
	}
	at := fset.PositionFor(end, false).Offset
	if line := bytes.IndexByte(src[at:], '\n'); line >= 0 {
		return src[:at+line], false
	}
	return src, false
}

// maxEmbedded bounds the files below a directory that embeds some of them.
const maxEmbedded = 20_000

// addNames adds the names of everything below a directory.
func (l *looker) addNames(dir string) {
	var names []string
	_, complete := l.reader.Files(dir, maxEmbedded, func(path string, entry fs.DirEntry) bool {
		names = append(names, path+"\x00"+entry.Type().String())
		return true
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
