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

// places tells where in the workspace things are that the compiler and the tests name.
type places struct {
	ctx     context.Context
	root    string
	project *project.Project // nil where nothing is known of it
	// target is what the binary that is being read was built from.
	target  project.Target
	sources *declaration.Index
}

// location turns a place of the compiler's into one of the workspace.
func (p *places) location(file string, line, column int) sdk.Location {
	if file == "" {
		return sdk.Location{}
	}
	if p.project != nil {
		file = p.project.Path(file)
	}
	return sdk.Location{File: file, Line: line, Column: column}
}

// spanLocation is where a reader looks first: in the project's own code, which
// may call the macro that made the wrong code.
func (p *places) spanLocation(s span) sdk.Location {
	for s.Expansion != nil && (p.project == nil || !p.project.Own(s.File)) {
		s = s.Expansion.Span
	}
	return p.location(s.File, s.Line, s.Column)
}

// framePath returns the path in a stack as an absolute one. There, other than in
// the place of a panic, it is relative to where the test runs.
func (p *places) framePath(file string) string {
	for _, here := range []string{"./", `.\`} {
		if rest, ok := strings.CutPrefix(file, here); ok && p.target.Dir != "" {
			return filepath.Join(p.target.Dir, rest)
		}
	}
	return file
}

// index reads the target's sources when they are first needed.
func (p *places) index() *declaration.Index {
	if p.sources == nil {
		root, source := p.root, ""
		if p.project != nil && p.target.Source != "" && p.target.Kind != project.KindDoc {
			source = p.project.Path(p.target.Source)
		}
		p.sources = declaration.New(p.ctx, root, source)
	}
	return p.sources
}

// exists reports whether the sources declare a test.
func (p *places) exists(test string) bool {
	_, ok := p.index().Find(test)
	return ok
}

// declared is where a test is declared, as far as that can be known.
func (p *places) declared(test string) (sdk.Location, sdk.Precision) {
	if p.target.Kind == project.KindDoc || strings.Contains(test, " ") {
		if m := docName.FindStringSubmatch(test); m != nil {
			line, _ := strconv.Atoi(m[2]) // digits, by the expression
			return p.location(m[1], line, 0), sdk.PrecisionDeclarationOnly
		}
		return sdk.Location{}, ""
	}
	if at, ok := p.index().Find(test); ok {
		return sdk.Location{File: at.File, Line: at.Line}, sdk.PrecisionDeclarationOnly
	}
	return sdk.Location{}, ""
}
