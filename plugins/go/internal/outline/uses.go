package outline

import (
	"go/scanner"
	"go/token"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// Uses are the names of tests that test files mention other than where they are
// declared.
type Uses map[string]bool

// Add reads a file, which need not be complete.
func (u Uses) Add(src []byte) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0)
	before := token.ILLEGAL
	for {
		_, tok, name := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.IDENT && before != token.FUNC && source.KindOf(name) != 0 {
			u[name] = true
		}
		before = tok
	}
}
