package solidity

import (
	"math/big"
	"strings"
)

// maxSignature bounds a canonical type in bytes: nested structs can grow exponentially.
const maxSignature = 16 << 10

// Canonical returns a type as it appears in signatures: "uint256", "address",
// "(uint256,uint8)[3]". ok is false if it cannot be determined, as for an array whose
// length is an expression.
func (p *Program) Canonical(scope Ref, written string) (canonical string, ok bool) {
	p.steps = 0
	return p.canonical(scope, written, 0)
}

func (p *Program) canonical(scope Ref, written string, depth int) (string, bool) {
	if !p.countStep() || depth > maxNesting {
		return "", false
	}
	name, suffix, array := strings.Cut(written, "[")
	if array {
		var ok bool
		if suffix, ok = p.canonicalSuffix(scope, "["+suffix); !ok {
			return "", false
		}
	}
	if elementary, ok := elementaryType(name); ok {
		return elementary + suffix, true
	}
	found, ok := p.inScope(scope, name)
	if !ok || found.number != "" {
		return "", false
	}
	if found.typ == nil {
		return "address" + suffix, true
	}
	inner := Ref{Path: found.path}
	if found.contract != nil {
		inner.Name = found.contract.Name
	}
	switch found.typ.Kind {
	case Enum:
		return "uint8" + suffix, true
	case Value:
		of, ok := p.canonical(inner, found.typ.Of[0], depth+1)
		return of + suffix, ok
	}
	var fields []string
	size := 0
	for _, of := range found.typ.Of {
		field, ok := p.canonical(inner, of, depth+1)
		if size += len(field) + 1; !ok || size > maxSignature {
			return "", false
		}
		fields = append(fields, field)
	}
	return "(" + strings.Join(fields, ",") + ")" + suffix, true
}

// inScope resolves a name as seen from within a contract, or from the top of the source
// if the scope names no contract.
func (p *Program) inScope(scope Ref, name string) (entity, bool) {
	if scope.Name != "" && !strings.Contains(name, ".") {
		if found, ok := p.member(scope, name); ok {
			return found, true
		}
	}
	return p.lookup(scope.Path, name)
}

// elementaryType returns the canonical name of a built-in type.
func elementaryType(name string) (string, bool) {
	switch name {
	case "uint", "int":
		return name + "256", true
	case "byte":
		return "bytes1", true
	case "fixed", "ufixed":
		return name + "128x18", true
	case "address", "bool", "string", "bytes", "function":
		return name, true
	}
	for _, prefix := range []string{"uint", "int", "bytes"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return name, true
		}
	}
	return "", false
}

// canonicalSuffix turns `[][0x10][N]` into `[][16][4]`.
func (p *Program) canonicalSuffix(scope Ref, written string) (string, bool) {
	var b strings.Builder
	for written != "" {
		end := strings.IndexByte(written, ']')
		if written[0] != '[' || end < 0 {
			return "", false
		}
		length := written[1:end]
		if length != "" && !isDigit(length[0]) {
			found, ok := p.inScope(scope, length)
			if !ok || found.number == "" {
				return "", false
			}
			length = found.number
		}
		length, ok := toDecimal(length)
		if !ok {
			return "", false
		}
		b.WriteString("[" + length + "]")
		written = written[end+1:]
	}
	return b.String(), true
}

// toDecimal converts a number literal to decimal without underscores; "" stays "".
func toDecimal(literal string) (string, bool) {
	const maxDigits = 80 // more than a uint256 has
	literal = strings.ReplaceAll(literal, "_", "")
	if literal == "" || len(literal) > maxDigits {
		return "", literal == ""
	}
	digits, hexadecimal := strings.CutPrefix(literal, "0x")
	base := 10
	if hexadecimal {
		base = 16
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return "", false
	}
	return n.String(), true
}
