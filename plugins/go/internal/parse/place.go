package parse

import (
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// method is the name of a suite's method.
type method struct{ receiver, name string }

// declare notes what a file declares. Where two files declare the same name, one
// of them is not part of the build.
func (p *packageSource) declare(file string, all source.Declared, builds chooser) {
	for _, f := range all.Functions {
		if known, twice := p.tests[f.Name]; twice && !builds.prefers(file, known.File) {
			continue
		}
		p.tests[f.Name] = sdk.Location{File: file, Line: f.Line}
		if p.bodies == nil {
			p.bodies = map[string]string{}
		}
		p.bodies[f.Name] = f.Body
		if types := all.Runners[f.Name]; types != nil {
			if p.runners == nil {
				p.runners = map[string][]string{}
			}
			p.runners[f.Name] = types
		} else {
			delete(p.runners, f.Name)
		}
	}
	for _, m := range all.Methods {
		key := method{m.Receiver, m.Name}
		if known, twice := p.methods[key]; twice && !builds.prefers(file, known.File) {
			continue
		}
		if p.methods == nil {
			p.methods = map[method]sdk.Location{}
		}
		p.methods[key] = sdk.Location{File: file, Line: m.Line}
	}
}

// place is where a test is declared: for a part of one, the outermost function,
// or the method of the suite that it runs.
func (p *packageSource) place(name string) sdk.Location {
	top, inner, _ := strings.Cut(name, "/")
	if len(p.methods) > 0 && inner != "" {
		if at := p.methodPlace(top, inner); at.File != "" {
			return at
		}
	}
	return p.tests[top]
}

// methodPlace is where the method is declared that a suite runs as a subtest.
// Where two types come into question it is not known.
func (p *packageSource) methodPlace(top, inner string) sdk.Location {
	name, _, _ := strings.Cut(inner, "/")
	name, _, _ = strings.Cut(name, "#") // the number of a repetition
	var found sdk.Location
	for _, receiver := range p.runners[top] {
		at, known := p.methods[method{receiver, name}]
		if known && found.File != "" {
			return sdk.Location{}
		}
		if known {
			found = at
		}
	}
	return found
}

// resultPlace is what a result says of its place and its body: nothing where the file is not
// one of the workspace.
func (t *tree) resultPlace(s *suite, name string) (at sdk.Location, body string) {
	declared := t.source(s)
	if at = declared.place(name); isAbs(at.File) {
		return sdk.Location{}, ""
	}
	return at, declared.bodies[name]
}
