package solidity

import "strings"

// Loader returns a parsed source, or false if there is none.
type Loader func(path string) (*File, bool)

// Resolver resolves an import in the source from.
type Resolver func(from, path string) (string, bool)

// maxSteps bounds the lookups for one question, so that tangles of files which import
// each other end. A project of 2,000 files needs some thousand.
const maxSteps = 50_000

// maxWork bounds all questions together, in the same unit. Beyond it names are not
// found and contracts have no bases. It amounts to about a second; the largest projects
// need a hundredth of it.
const maxWork = 3_000_000

// Program is a set of sources that import each other. It is not safe for concurrent
// use.
type Program struct {
	load    Loader
	resolve Resolver
	lines   map[Ref][]Ref
	found   map[place]entity // results of lookup, failed ones included
	steps   int
	work    int
}

// NewProgram returns a program over the sources that load returns.
func NewProgram(load Loader, resolve Resolver) *Program {
	return &Program{load: load, resolve: resolve, lines: map[Ref][]Ref{}, found: map[place]entity{}}
}

// Ref names a contract within a program.
type Ref struct{ Path, Name string }

// Contract returns the contract that a reference names.
func (p *Program) Contract(ref Ref) (*Contract, bool) {
	f, ok := p.load(ref.Path)
	if !ok {
		return nil, false
	}
	return f.Contract(ref.Name)
}

// entity is what a name refers to: a contract, a type with the contract that declares
// it, or the number of a constant.
type entity struct {
	path     string
	contract *Contract
	typ      *Type
	number   string
}

// place is a name looked up in a source.
type place struct{ path, name string }

// lookup resolves a dotted name as seen from the top of a source.
func (p *Program) lookup(path, name string) (entity, bool) {
	at := place{path, name}
	if known, ok := p.found[at]; ok {
		return known, known != entity{}
	}
	found, ok := p.lookupDotted(path, name, map[place]bool{})
	if p.steps <= maxSteps && p.work <= maxWork {
		p.found[at] = found
	}
	return found, ok
}

func (p *Program) lookupDotted(path, name string, seen map[place]bool) (entity, bool) {
	first, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		return p.lookupWord(path, first, seen)
	}
	f, ok := p.load(path)
	if !ok {
		return entity{}, false
	}
	if imported, ok := f.names.modules[first]; ok {
		if target, ok := p.resolve(path, imported); ok {
			return p.lookupDotted(target, rest, seen)
		}
	}
	owner, ok := p.lookupWord(path, first, seen)
	if !ok || owner.contract == nil {
		return entity{}, false
	}
	return p.member(Ref{Path: owner.path, Name: owner.contract.Name}, rest)
}

// lookupWord searches the source itself, then its imports. An import without names
// passes on everything that is visible in the imported source.
func (p *Program) lookupWord(path, name string, seen map[place]bool) (entity, bool) {
	here := place{path, name}
	if !p.countStep() || seen[here] {
		return entity{}, false
	}
	seen[here] = true
	f, ok := p.load(path)
	if !ok {
		return entity{}, false
	}
	if c, ok := f.Contract(name); ok {
		return entity{path: path, contract: c}, true
	}
	if t := f.names.types[name]; t != nil {
		return entity{path: path, typ: t}, true
	}
	if value := f.names.constants[name]; value != "" {
		return entity{path: path, number: value}, true
	}
	for _, s := range f.names.symbols[name] {
		if found, ok := p.lookupImported(path, s, seen); ok {
			return found, true
		}
	}
	for _, imported := range f.names.whole {
		if found, ok := p.lookupImported(path, symbol{imported, name}, seen); ok {
			return found, true
		}
	}
	return entity{}, false
}

// lookupImported searches a source imported by the one at path.
func (p *Program) lookupImported(path string, s symbol, seen map[place]bool) (entity, bool) {
	if !p.countStep() {
		return entity{}, false
	}
	target, ok := p.resolve(path, s.path)
	if !ok {
		return entity{}, false
	}
	return p.lookupWord(target, s.name, seen)
}

// countStep counts a unit of work, and returns false beyond the limits.
func (p *Program) countStep() bool {
	p.steps++
	p.work++
	return p.steps <= maxSteps && p.work <= maxWork
}

// member finds a type or constant that a contract declares or inherits.
func (p *Program) member(ref Ref, name string) (entity, bool) {
	for _, base := range p.linearize(ref) {
		if !p.countStep() {
			break
		}
		c, ok := p.Contract(base)
		if !ok {
			continue
		}
		if t := c.members.types[name]; t != nil {
			return entity{path: base.Path, contract: c, typ: t}, true
		}
		if value := c.members.constants[name]; value != "" {
			return entity{path: base.Path, number: value}, true
		}
	}
	return entity{}, false
}

// Resolve resolves an import in the source from.
func (p *Program) Resolve(from, path string) (string, bool) { return p.resolve(from, path) }
