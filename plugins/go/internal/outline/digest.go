package outline

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"go/ast"
	"go/format"
	"go/scanner"
	"go/token"
	"hash"

	"github.com/proctorhq/proctor/sdk"
)

// digestSize is how many bytes of a hash are kept, enough to avoid collisions.
const digestSize = 16

// digest is made of the tokens of a unit.
type digest struct {
	f    *file
	hash hash.Hash
	// positions reports whether a token inspects places.
	positions bool
	// measuring reports whether a token asks about being measured.
	measuring bool
	state     sdk.UnitState
	buffer    bytes.Buffer
}

func (f *file) digest() *digest { return &digest{f: f, hash: sha256.New()} }

func (d *digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)[:digestSize]) }

// text adds words, delimited.
func (d *digest) text(words ...string) {
	for _, word := range words {
		d.hash.Write(binary.AppendUvarint(nil, uint64(len(word))))
		d.hash.Write([]byte(word))
	}
}

func (d *digest) directives(directives []directive) {
	for _, directive := range directives {
		d.text(directive.text)
	}
}

// node adds the tokens of a syntax tree, as gofmt would print it: gofmt drops some
// parentheses and empty statements and rewrites numbers.
func (d *digest) node(node ast.Node) {
	d.buffer.Reset()
	if err := format.Node(&d.buffer, d.f.fset, node); err != nil {
		d.f.failed = true
		return
	}
	d.positions = d.positions || d.f.places.in(node)
	d.measuring = d.measuring || d.f.questions.in(node)
	d.tokens(d.buffer.Bytes())
}

// tokens adds the tokens of a text. Line breaks do not count: a semicolon at the end of
// a line equals one within it, and none is needed before a closing bracket, nor a
// comma.
func (d *digest) tokens(src []byte) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, 0)
	// A separator waits for what follows it.
	separator := token.ILLEGAL
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return
		case tok == token.SEMICOLON, tok == token.COMMA:
			if separator == token.COMMA || separator == token.SEMICOLON && tok == token.COMMA {
				d.text(separator.String())
			}
			separator = tok
			continue
		case separator != token.ILLEGAL && tok != token.RBRACE && tok != token.RPAREN:
			d.text(separator.String())
		}
		separator = token.ILLEGAL
		d.text(tok.String(), literal)
	}
}
