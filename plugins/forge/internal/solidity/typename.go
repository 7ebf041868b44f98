package solidity

import "strings"

// maxNesting bounds the nesting of mappings, because parsing them recurses.
const maxNesting = 64

// typeName parses a type as written: "uint", "A.B[3][]", "mapping", "function". getter
// holds the parameters of the getter of a variable with that type.
func (p *parser) typeName() (name string, getter []string) { return p.typeNameAt(0) }

func (p *parser) typeNameAt(depth int) (name string, getter []string) {
	switch name = p.dotted(); name {
	case "":
		return "", nil
	case "mapping":
		if p.is('(') {
			getter = p.mapping(depth)
		}
	case "function":
		p.functionType()
	case "address":
		if p.word() == "payable" {
			p.advance()
		}
	}
	var suffix strings.Builder
	var indexes []string
	for p.is('[') {
		suffix.WriteString(p.arraySuffix())
		indexes = append(indexes, "uint256")
	}
	return name + suffix.String(), append(indexes, getter...)
}

// mapping parses `(K name => V name)`.
func (p *parser) mapping(depth int) []string {
	if depth >= maxNesting {
		p.skipBlock()
		return nil
	}
	p.advance()
	key, _ := p.typeNameAt(depth + 1)
	p.take()
	p.accept('=')
	p.accept('>')
	_, inner := p.typeNameAt(depth + 1)
	p.take()
	for p.tok.kind != end && !p.is(')') && !p.is(';') && !p.is('}') {
		if p.is('(') || p.is('[') || p.is('{') {
			p.skipBlock()
		} else {
			p.advance()
		}
	}
	p.accept(')')
	return append([]string{key}, inner...)
}

// functionType parses what follows `function` in `function (uint) external returns
// (bool)`. The mutability and the first visibility belong to the type; a second
// visibility belongs to the variable.
func (p *parser) functionType() {
	if p.is('(') {
		p.skipBlock()
	}
	visible := false
	for {
		switch p.word() {
		case "external", "internal":
			if visible {
				return
			}
			visible = true
			p.advance()
		case "pure", "view", "payable":
			p.advance()
		case "returns":
			p.advance()
			if p.is('(') {
				p.skipBlock()
			}
			return
		default:
			return
		}
	}
}

// arraySuffix parses one `[...]`, dropping spaces.
func (p *parser) arraySuffix() string {
	var b strings.Builder
	depth := 0
	for p.tok.kind != end && !p.is(';') && !p.is('{') && !p.is('}') {
		if p.is('[') {
			depth++
		}
		if p.is(']') {
			depth--
		}
		b.Write(p.src[p.tok.start:p.tok.stop])
		p.advance()
		if depth == 0 {
			break
		}
	}
	return b.String()
}

// parameters parses `(uint a, S calldata b)` into types.
func (p *parser) parameters() []string {
	p.advance()
	var params []string
	for p.tok.kind != end && !p.is('{') && !p.is('}') && !p.is(';') && !p.accept(')') {
		if p.accept(',') {
			continue
		}
		if name, _ := p.typeName(); name != "" {
			params = append(params, name)
		}
		for p.tok.kind != end && !p.is(',') && !p.is(')') && !p.is('{') && !p.is('}') && !p.is(';') {
			if p.is('(') || p.is('[') {
				p.skipBlock()
			} else {
				p.advance()
			}
		}
	}
	return params
}

// typeItem parses a struct, an enum, or `type X is uint;` after the keyword.
func (p *parser) typeItem(keyword string) (Type, bool) {
	p.advance()
	t := Type{Name: p.take()}
	switch keyword {
	case "type":
		t.Kind = Value
		if p.take() != "is" {
			p.skipItem()
			return t, false
		}
		of, _ := p.typeName()
		t.Of = []string{of}
		p.skipItem()
	case "enum":
		t.Kind = Enum
		p.skipItem()
	case "struct":
		t.Kind = Struct
		if !p.accept('{') {
			p.skipItem()
			return t, false
		}
		for p.tok.kind != end && !p.accept('}') {
			of, _ := p.typeName()
			if of != "" {
				t.Of = append(t.Of, of)
			}
			for p.tok.kind != end && !p.is('}') && !p.accept(';') {
				p.advance()
			}
		}
	}
	return t, t.Name != ""
}
