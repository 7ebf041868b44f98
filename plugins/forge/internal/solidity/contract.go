package solidity

// contract parses a contract from its name on; the keyword is consumed.
func (p *parser) contract(kind string) (Contract, bool) {
	c := Contract{Kind: kind, Name: p.take()}
	if c.Name == "" {
		return c, false
	}
	for p.tok.kind != end && !p.is('{') && !p.is(';') && !p.is('}') {
		switch {
		case p.word() == "is":
			p.advance()
			c.Bases = p.bases()
		case p.is('('):
			p.skipBlock()
		default:
			p.advance() // `layout at expression`
		}
	}
	if !p.accept('{') {
		return c, false
	}
	for p.tok.kind != end && !p.accept('}') {
		p.contractItem(&c)
	}
	return c, true
}

// bases parses `A, B.C(1, 2), D`.
func (p *parser) bases() []string {
	var bases []string
	for {
		name := p.dotted()
		if name == "" {
			return bases
		}
		bases = appendUpTo(bases, name, maxBases)
		if p.is('(') {
			p.skipBlock()
		}
		if !p.accept(',') {
			return bases
		}
	}
}

// dotted parses `A.B.C`.
func (p *parser) dotted() string {
	name := p.take()
	for name != "" && p.accept('.') {
		name += "." + p.take()
	}
	return name
}

func (p *parser) contractItem(c *Contract) {
	switch w := p.word(); w {
	case "function", "constructor":
		start := p.tok.start
		p.advance()
		name := w
		if w == "function" {
			if name = p.take(); name == "" {
				// The unnamed fallback of old versions, or a variable of a function type.
				p.skipItem()
				return
			}
		}
		f := p.function(name)
		f.Offset = start
		c.Functions = appendUpTo(c.Functions, f, maxMembers)
	case "struct", "enum", "type":
		if t, ok := p.typeItem(w); ok {
			c.Types = appendUpTo(c.Types, t, maxMembers)
		}
	case "modifier", "event", "error", "using", "for", "fallback", "receive", "pragma":
		p.skipItem()
	case "":
		p.skipStray()
	default:
		if v, ok := p.variable(); ok {
			c.Variables = appendUpTo(c.Variables, v, maxMembers)
		}
	}
}

// skipStray skips a token that begins no declaration.
func (p *parser) skipStray() {
	if p.is('{') || p.is('(') || p.is('[') {
		p.skipBlock()
		return
	}
	p.advance()
}

// function parses a function from its parameters on.
func (p *parser) function(name string) Function {
	f := Function{Name: name}
	if p.is('(') {
		f.Params = p.parameters()
	}
	for p.tok.kind != end && !p.is('}') {
		switch {
		case p.accept(';'):
			return f
		case p.is('{'):
			p.skipBlock()
			f.Implemented = true
			return f
		case p.is('('), p.is('['):
			p.skipBlock()
		default:
			switch w := p.word(); w {
			case "public", "external", "internal", "private":
				f.Visibility = w
			case "pure", "view", "constant":
				f.Pure = true
			}
			p.advance()
		}
	}
	return f
}

// variable parses a state variable, or a constant outside of contracts.
func (p *parser) variable() (v Variable, ok bool) {
	v.Offset = p.tok.start
	_, v.Getter = p.typeName()
	constant := false
	for p.tok.kind != end && !p.is('}') {
		switch {
		case p.accept(';'):
			return v, v.Name != ""
		case p.accept('='):
			if value := p.value(); constant {
				v.Value = value
			}
		case p.is('{'):
			// Variables have no block, so this was something unknown.
			p.skipBlock()
			return v, false
		case p.is('('), p.is('['):
			p.skipBlock()
		default:
			switch w := p.word(); w {
			case "public":
				v.Public = true
			case "constant":
				constant = true
			case "internal", "private", "immutable", "transient", "override", "":
			default:
				v.Name = w
			}
			p.advance()
		}
	}
	return v, false
}

// value parses the expression after `=`, and returns it if it is a single number.
func (p *parser) value() string {
	single := ""
	if p.tok.kind == number {
		single = string(p.src[p.tok.start:p.tok.stop])
		p.advance()
	}
	for p.tok.kind != end && !p.is(';') && !p.is('}') {
		single = ""
		if p.is('(') || p.is('[') || p.is('{') {
			p.skipBlock()
		} else {
			p.advance()
		}
	}
	return single
}
