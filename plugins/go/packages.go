package gotest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// packages returns the patterns of packages to run.
func (p project) packages(selection sdk.Selection, args goflags.Args) ([]string, error) {
	named := selection.Suites
	if len(named) > 0 && len(args.Packages) > 0 {
		return nil, invalidSelection("packages are selected twice, as %q and as %q among the runner arguments: give them once", named[0], args.Packages[0])
	}
	if len(named) == 0 {
		named = args.Packages
	}
	if len(named) == 0 {
		return p.allPatterns(), nil
	}
	for _, name := range named {
		if err := p.checkPackage(name); err != nil {
			return nil, err
		}
	}
	return named, nil
}

func (p project) checkPackage(name string) error {
	switch {
	case name == "":
		return invalidSelection("a package name is empty: write ./... for all packages")
	case strings.HasPrefix(name, "-"):
		return invalidSelection("%q is a flag, not a package: give flags of go test as runner arguments", name)
	case strings.ContainsAny(name, "\x00\n"):
		return invalidSelection("%q is not the name of a package", name)
	}
	at := fileLine.FindStringSubmatch(name)
	if at == nil {
		return nil
	}
	file := filepath.FromSlash(at[1])
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.workspace.Root, file)
	}
	switch info, err := os.Stat(file); {
	case err != nil && !strings.Contains(name, "/"):
		return invalidSelection("there is no file %s; tests are run by package, as ./parser", at[1])
	case err != nil || !info.Mode().IsRegular():
		return nil // it may be the path of a module, as of nats.go
	}
	dir := filepath.ToSlash(filepath.Dir(at[1]))
	if dir != "." && !filepath.IsAbs(dir) {
		dir = "./" + dir
	}
	return invalidSelection("%s is a file: tests are run by package, as %s%s", at[1], dir, describeTests(file, at[2]))
}

// fileLine is a source file, perhaps with a line and a column in it.
var fileLine = lazyregexp.New(`^(.*\.go)(?::(\d+)(?::\d+)?)?$`)

// maxDescribed is how many tests of a file are named.
const maxDescribed = 5

// describeTests says which tests a file has or, with a line, which one declares that line.
func describeTests(file, line string) string {
	functions, err := (source.Reader{}).FileFunctions(file)
	if err != nil || len(functions) == 0 || !strings.HasSuffix(file, "_test.go") {
		return ""
	}
	var names []string
	of, _ := strconv.Atoi(line)
	for _, f := range functions {
		if of >= f.Line {
			names = nil // a later one declares the line
		}
		if of == 0 || of >= f.Line {
			names = append(names, f.Name)
		}
	}
	switch more := len(names) - maxDescribed; {
	case len(names) == 0:
		return ""
	case of > 0:
		return fmt.Sprintf("; line %d belongs to %s", of, names[0])
	case more > 0:
		return fmt.Sprintf("; its tests are %s and %d more", strings.Join(names[:maxDescribed], ", "), more)
	}
	return "; its tests: " + strings.Join(names, ", ")
}

// allPatterns returns the patterns of all packages of the modules in effect.
func (p project) allPatterns() []string {
	atRoot := p.layout.WorkFile != "" && filepath.Dir(p.layout.WorkFile) == p.layout.Root
	patterns := p.modulePatterns(atRoot)
	switch {
	case len(patterns) == 0, len(patterns) == 1 && patterns[0] == allBelow:
		return []string{allBelow}
	case atRoot && p.version.AtLeast("go1.25"):
		return []string{"work"}
	}
	return patterns
}

// isEmpty reports whether a project certainly has no Go package.
func (p project) isEmpty() bool {
	for _, module := range p.layout.Main {
		if module.Path == "" || hasSources(module.Dir, true) {
			return false
		}
	}
	return len(p.layout.Main) > 0 // otherwise the go command says what is wrong
}

// allBelow matches the packages below the root that belong to its module.
const allBelow = "./..."

// modulePatterns returns one pattern for each module in effect below the root; a
// workspace in the root also includes those outside of it.
func (p project) modulePatterns(outside bool) []string {
	var patterns []string
	for _, module := range p.layout.Main {
		rel, err := filepath.Rel(p.layout.Root, module.Dir)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		switch {
		case rel == ".":
			patterns = append(patterns, allBelow)
		case rel == ".." || strings.HasPrefix(rel, "../"):
			if outside {
				patterns = append(patterns, rel+"/...")
			}
		default:
			patterns = append(patterns, "./"+rel+"/...")
		}
	}
	return patterns
}

// explainUnknown says why an import path without a pattern names no package; empty if
// it may name one. It refuses only words that cannot be an import path: every module path
// has a dot in its first element, unless the module is in effect here or named by a module
// file, and any other path without a dot is part of Go.
func (p project) explainUnknown(name string) string {
	first, _, _ := strings.Cut(name, "/")
	base, _, pattern := strings.Cut(name, "...")
	base = strings.TrimSuffix(base, "/")
	if strings.Contains(first, ".") || reserved[name] || base == "" || pattern && !strings.HasSuffix(strings.TrimSuffix(name, "..."), "/") {
		return ""
	}
	if _, local := p.layout.Dir(base); local || p.isNamed(first) || p.isVendored(first) {
		return ""
	}
	root := p.goroot()
	if root == "" || isDir(filepath.Join(root, filepath.FromSlash(base))) {
		return ""
	}
	if isDir(filepath.Join(p.workspace.Root, filepath.FromSlash(base))) {
		return "there is no such import path; there is a directory of this name, which is written ./" + name
	}
	return "it is neither a directory nor a package of Go or of these modules; name directories as ./DIR, or none to run all"
}

// reserved are the names that stand for several packages; see `go help packages`.
var reserved = map[string]bool{"all": true, "std": true, "cmd": true, "main": true, "tool": true, "work": true}

// goroot returns the directory of the sources of Go's packages; empty if unknown.
func (p project) goroot() string {
	file := installationFile(p.workspace.Tools[tool])
	root := filepath.Join(filepath.Dir(file), "src")
	if file == "" || !isDir(filepath.Join(root, "testing")) {
		return ""
	}
	return root
}

// maxModFile bounds a go.mod or go.work.
const maxModFile = 1 << 20

// isNamed reports whether a module file has a path that begins with a word, as a
// replaced module may.
func (p project) isNamed(first string) bool {
	word := regexp.MustCompile(`(?m)(?:^|[\s"` + "`" + `(])` + regexp.QuoteMeta(first) + `(?:[/\s"` + "`" + `]|$)`)
	files := []string{filepath.Join(p.workspace.Root, "go.mod")}
	if p.layout.WorkFile != "" {
		files = append(files, p.layout.WorkFile)
	}
	for _, module := range p.layout.Main {
		files = append(files, filepath.Join(module.Dir, "go.mod"))
	}
	for _, file := range files {
		text, err := (source.Reader{}).Bytes(file, maxModFile)
		if err == nil && word.Match(text) {
			return true
		}
	}
	return false
}

// isVendored reports whether there is a vendored copy of something that begins with a
// word.
func (p project) isVendored(first string) bool {
	for _, module := range p.layout.Main {
		if isDir(filepath.Join(module.Dir, "vendor", first)) {
			return true
		}
	}
	return p.layout.WorkFile != "" && isDir(filepath.Join(filepath.Dir(p.layout.WorkFile), "vendor", first))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
