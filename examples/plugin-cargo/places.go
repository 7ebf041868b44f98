package cargotest

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/proctor-plugin-cargo/internal/declaration"
	"example.com/proctor-plugin-cargo/internal/project"
	"github.com/proctorhq/proctor/sdk"
)

// places converts the locations that the compiler and the tests print to those of the
// workspace.
type places struct {
	ctx     context.Context
	root    string
	project *project.Project // nil if unknown
	// target is what the binary that is being read was built from.
	target  project.Target
	sources *declaration.Index
}

// location converts a location that the compiler wrote to one of the workspace.
func (p *places) location(file string, line, column int) sdk.Location {
	if file == "" {
		return sdk.Location{}
	}
	if p.project != nil {
		file = p.project.Path(file)
	}
	return sdk.Location{File: file, Line: line, Column: column}
}

// spanLocation returns the location to look at first: in the project's own code, which may
// call the macro that generated the wrong code.
func (p *places) spanLocation(s span) sdk.Location {
	for s.Expansion != nil && (p.project == nil || !p.project.Own(s.File)) {
		s = s.Expansion.Span
	}
	return p.location(s.File, s.Line, s.Column)
}

// framePath makes a path in a stack absolute. Unlike the location of a panic, it is
// relative to the directory in which the test runs.
func (p *places) framePath(file string) string {
	for _, here := range []string{"./", `.\`} {
		if rest, ok := strings.CutPrefix(file, here); ok && p.target.Dir != "" {
			return filepath.Join(p.target.Dir, rest)
		}
	}
	return file
}

// loadIndex returns the index of the target's sources, which it reads when first needed.
func (p *places) loadIndex() *declaration.Index {
	if p.sources == nil {
		root, source := p.root, ""
		if p.project != nil && p.target.Source != "" && p.target.Kind != project.KindDoc {
			source = p.project.Path(p.target.Source)
		}
		p.sources = declaration.New(p.ctx, root, source)
	}
	return p.sources
}

// isDeclared reports whether the sources declare a test.
func (p *places) isDeclared(test string) bool {
	_, ok := p.loadIndex().Find(test)
	return ok
}

// findDeclaration returns where a test is declared, as far as that can be known.
func (p *places) findDeclaration(test string) (sdk.Location, sdk.Precision) {
	if p.target.Kind == project.KindDoc || strings.Contains(test, " ") {
		if m := docTestName.FindStringSubmatch(test); m != nil {
			line, _ := strconv.Atoi(m[2]) // digits, by the expression
			return p.location(m[1], line, 0), sdk.PrecisionDeclarationOnly
		}
		return sdk.Location{}, ""
	}
	if at, ok := p.loadIndex().Find(test); ok {
		return sdk.Location{File: at.File, Line: at.Line}, sdk.PrecisionDeclarationOnly
	}
	return sdk.Location{}, ""
}
