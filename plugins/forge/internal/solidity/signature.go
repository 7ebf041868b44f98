package solidity

import "strings"

// SplitSignature splits "f(uint256,(bool,address)[])" into the name and the parameter
// types. ok is false for any other form.
func SplitSignature(signature string) (name string, params []string, ok bool) {
	name, rest, ok := strings.Cut(signature, "(")
	if !ok || name == "" || !strings.HasSuffix(rest, ")") {
		return "", nil, false
	}
	rest = rest[:len(rest)-1]
	if rest == "" {
		return name, nil, true
	}
	depth, from := 0, 0
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				params = append(params, rest[from:i])
				from = i + 1
			}
		}
	}
	return name, append(params, rest[from:]), depth == 0
}

// match is how well written types agree with canonical ones.
type match byte

const (
	differs match = iota
	possible
	exact
)

// Agrees reports whether the written parameters can be those of a signature.
func (p *Program) Agrees(scope Ref, written, canonical []string) bool {
	return p.compare(scope, written, canonical) != differs
}

func (p *Program) compare(scope Ref, written, canonical []string) match {
	if len(written) != len(canonical) {
		return differs
	}
	result := exact
	for i, w := range written {
		known, ok := p.Canonical(scope, w)
		switch {
		case ok && known != canonical[i]:
			return differs
		case !ok && strings.Contains(w, "[") != strings.HasSuffix(canonical[i], "]"):
			return differs
		case !ok:
			result = possible
		}
	}
	return result
}

// Declaration is where a function or getter is declared.
type Declaration struct {
	Ref    Ref
	Offset int
}

// Declaration finds the function or public variable that a call with that signature
// reaches on the contract. "constructor" finds the constructor, whatever its
// parameters.
func (p *Program) Declaration(contract Ref, signature string) (Declaration, bool) {
	name, params, ok := SplitSignature(signature)
	if !ok {
		return Declaration{}, false
	}
	var guess Declaration
	guessed := false
	for _, ref := range p.Linearize(contract) {
		c, ok := p.Contract(ref)
		if !ok {
			continue
		}
		consider := func(offset int, written []string) bool {
			quality := p.compare(ref, written, params)
			if quality == differs || quality == possible && guessed {
				return false
			}
			guess, guessed = Declaration{Ref: ref, Offset: offset}, true
			return quality == exact
		}
		for _, f := range c.members.functions[name] {
			if !f.Implemented || name != "constructor" && !f.isCallable() {
				continue
			}
			if name == "constructor" {
				return Declaration{Ref: ref, Offset: f.Offset}, true
			}
			if consider(f.Offset, f.Params) {
				return guess, true
			}
		}
		for _, v := range c.members.getters[name] {
			if consider(v.Offset, v.Getter) {
				return guess, true
			}
		}
	}
	return guess, guessed
}

// Method is one function or getter of a contract's interface.
type Method struct {
	Signature   string
	Declaration Declaration
	// Pure reports whether it is declared pure or view, or is a getter.
	Pure bool
}

// Costs of [Program.Methods] in the unit of maxWork: looking at this many names takes
// one step, and keeping a method with its text takes many.
const (
	namesPerStep   = 16
	stepsPerMethod = 10
)

// Methods returns the functions and getters that can be called on a contract, inherited
// ones included, whose names wanted selects. all is false if a signature or a base
// could not be resolved, or if there were too many: any number of contracts can inherit
// everything in one.
func (p *Program) Methods(contract Ref, wanted func(name string) bool) (methods []Method, all bool) {
	all = true
	seen := map[string]bool{}
	for _, ref := range p.Linearize(contract) {
		c, ok := p.Contract(ref)
		if !ok {
			continue
		}
		if p.work += len(c.Functions) / namesPerStep; p.work > maxWork {
			return methods, false
		}
		add := func(name string, offset int, written []string, pure bool) {
			signature, ok := p.signature(ref, name, written)
			if !ok {
				all = false
				return
			}
			if p.work += stepsPerMethod; p.work > maxWork {
				all = false
				return
			}
			if !seen[signature] {
				seen[signature] = true
				methods = append(methods, Method{Signature: signature, Declaration: Declaration{Ref: ref, Offset: offset}, Pure: pure})
			}
		}
		for _, f := range c.Functions {
			if f.Implemented && f.isCallable() && wanted(f.Name) {
				add(f.Name, f.Offset, f.Params, f.Pure)
			}
		}
		for _, v := range c.Variables {
			if v.Public && wanted(v.Name) {
				add(v.Name, v.Offset, v.Getter, true)
			}
		}
		for _, base := range c.Bases {
			if found, ok := p.lookup(ref.Path, base); !ok || found.contract == nil {
				all = false
			}
		}
	}
	return methods, all
}

func (p *Program) signature(scope Ref, name string, written []string) (string, bool) {
	types := make([]string, len(written))
	for i, w := range written {
		canonical, ok := p.Canonical(scope, w)
		if !ok {
			return "", false
		}
		types[i] = canonical
	}
	return name + "(" + strings.Join(types, ",") + ")", true
}
