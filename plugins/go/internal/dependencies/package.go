package dependencies

import (
	"path/filepath"
	"strings"
)

// Fields are those of a [Package], as -json takes them.
const Fields = "Name,ImportPath,Dir,Root,Standard,ForTest,DepOnly,Module," +
	"GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles,SwigFiles,SwigCXXFiles,SysoFiles," +
	"IgnoredGoFiles,IgnoredOtherFiles,InvalidGoFiles,EmbedPatterns,EmbedFiles," +
	"TestGoFiles,XTestGoFiles,TestEmbedPatterns,TestEmbedFiles,XTestEmbedPatterns,XTestEmbedFiles," +
	"Imports,TestImports,XTestImports,Error,DepsErrors"

// Package is what the go command says about a package; see go help list.
type Package struct {
	Name, ImportPath, Dir, Root string
	// Standard reports whether it belongs to the standard library.
	Standard bool
	// ForTest is the package for whose tests it was recompiled.
	ForTest string
	// DepOnly reports whether it was not requested but is needed by another one.
	DepOnly bool
	Module  *Module

	GoFiles, CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles []string
	SwigFiles, SwigCXXFiles, SysoFiles                                  []string
	IgnoredGoFiles, IgnoredOtherFiles, InvalidGoFiles                   []string
	EmbedPatterns, EmbedFiles                                           []string
	TestGoFiles, XTestGoFiles                                           []string
	TestEmbedPatterns, TestEmbedFiles                                   []string
	XTestEmbedPatterns, XTestEmbedFiles                                 []string
	Imports, TestImports, XTestImports                                  []string

	Error      *Error
	DepsErrors []*Error
}

// Module is the module of a package.
type Module struct {
	Version, Dir, GoMod string
	Main                bool
	Replace             *struct{ Version string }
}

// Error is why a package cannot be loaded.
type Error struct{ Err string }

// IsSuite reports whether it was requested, and is not merely compiled for something
// requested.
func (p *Package) IsSuite() bool {
	return !p.DepOnly && p.ForTest == "" && !p.isVariant() && !p.IsTestMain()
}

// path returns the import path without what it was recompiled for: "p [q.test]" is p.
func (p *Package) path() string { return withoutVariant(p.ImportPath) }

func withoutVariant(importPath string) string {
	path, _, _ := strings.Cut(importPath, " [")
	return path
}

func (p *Package) isVariant() bool { return strings.Contains(p.ImportPath, " [") }

// IsTestMain reports whether it is the program that the go command writes for a package's
// tests. Its only file is in the build cache.
func (p *Package) IsTestMain() bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") && len(p.GoFiles) > 0 && filepath.IsAbs(p.GoFiles[0])
}

// isExternalTests reports whether it is the package of external tests, "p_test [p.test]",
// rather than another of that name.
func (p *Package) isExternalTests() bool {
	if p.ForTest == "" || p.path() != p.ForTest+"_test" {
		return false
	}
	for _, file := range p.GoFiles {
		if !isTestFile(file) {
			return false
		}
	}
	return true
}

func isTestFile(file string) bool { return strings.HasSuffix(file, "_test.go") }

// IsCached reports whether it is in the module cache, where nothing changes. A vendored
// package has a module with a version but without a directory.
func (p *Package) IsCached() bool {
	m := p.Module
	return m != nil && !m.Main && m.Dir != "" && (m.Version != "" && m.Replace == nil || m.Replace != nil && m.Replace.Version != "")
}
