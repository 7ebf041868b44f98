package gotest

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
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
		return invalidSelection("%q is a flag, not a package: put flags of go test after --", name)
	case strings.ContainsAny(name, "\x00\n"):
		return invalidSelection("%q is not the name of a package", name)
	case !strings.HasSuffix(name, ".go"):
		return nil
	}
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.workspace.Root, filepath.FromSlash(name))
	}
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		return invalidSelection("%s is a file: tests are run by package, as ./%s", name, filepath.ToSlash(filepath.Dir(name)))
	}
	return nil
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
