package project

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Project is a cargo workspace, seen from a directory in it.
type Project struct {
	Packages []Package
	// Default are the names of the packages that cargo test runs by default.
	Default []string
	// Outputs is cargo's target directory.
	Outputs string

	root, cargoRoot string
}

// Package is a member of the workspace.
type Package struct {
	Name     string
	ID       string
	Features map[string][]string
	Targets  []Target
}

// Target is what cargo builds into a test binary, or a library's doc tests.
type Target struct {
	Package string
	// Kind is lib, bin, test, example, bench or doc.
	Kind, Name string
	// Source is the absolute path of the target's root file, Dir that of its package, in
	// which its tests run.
	Source, Dir string
	// Tested reports whether cargo test runs it by default.
	Tested bool
	// Required are the features without which it does not exist.
	Required []string
	// Harness reports whether it has libtest's main function.
	Harness bool
}

// Suite returns the name of the target's suite: PACKAGE KIND NAME. Names of packages and
// targets have no spaces.
func (t Target) Suite() string { return t.Package + " " + t.Kind + " " + t.Name }

// Flags returns the flags that select only this target.
func (t Target) Flags() []string {
	switch t.Kind {
	case KindLib, KindDoc:
		return []string{"-p", t.Package, "--" + t.Kind}
	default:
		return []string{"-p", t.Package, "--" + t.Kind, t.Name}
	}
}

// The kinds of targets that have only one of each in a package.
const (
	KindLib = "lib"
	KindDoc = "doc"
)

// Parse reads the output of cargo metadata, executed in root.
func Parse(output []byte, root string) (*Project, error) {
	var m metadata
	if err := json.Unmarshal(output, &m); err != nil {
		return nil, fmt.Errorf("cannot read the output of cargo metadata: %w", err)
	}
	p := &Project{root: root, cargoRoot: m.WorkspaceRoot, Outputs: m.TargetDirectory}
	for _, mp := range m.Packages {
		if !slices.Contains(m.Members, mp.ID) {
			continue
		}
		p.Packages = append(p.Packages, mp.toPackage())
		here := filepath.Dir(mp.ManifestPath) == root && root != m.WorkspaceRoot
		if here {
			p.Default = []string{mp.Name}
		}
	}
	if p.Default == nil {
		for _, pkg := range p.Packages {
			if m.DefaultMembers == nil || slices.Contains(m.DefaultMembers, pkg.ID) {
				p.Default = append(p.Default, pkg.Name)
			}
		}
	}
	return p, nil
}

// Package returns a package by its name or identifier.
func (p *Project) Package(nameOrID string) (Package, bool) {
	for _, pkg := range p.Packages {
		if pkg.Name == nameOrID || pkg.ID == nameOrID {
			return pkg, true
		}
	}
	return Package{}, false
}

// Target returns the target of a suite.
func (p *Project) Target(suite string) (Target, bool) {
	for _, pkg := range p.Packages {
		for _, t := range pkg.Targets {
			if t.Suite() == suite {
				return t, true
			}
		}
	}
	return Target{}, false
}

// Path returns a path that the compiler wrote, relative to the root of the workspace, or
// absolute if outside of it.
func (p *Project) Path(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.cargoRoot, path)
	}
	rel, err := filepath.Rel(p.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.Clean(path)
	}
	return filepath.ToSlash(rel)
}

// Own reports whether a path that the compiler wrote is a source file of the project, not
// of a dependency or the standard library, and not generated.
func (p *Project) Own(path string) bool {
	path = p.Path(path)
	out := p.Path(p.Outputs)
	return filepath.IsLocal(path) && path != out && !strings.HasPrefix(path, out+"/")
}
