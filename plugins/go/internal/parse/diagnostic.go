package parse

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

// diagnostic is one message with its place.
type diagnostic struct {
	location sdk.Location
	message  string
}

// diagnosticLine matches "vet: path/a.go:3:23: message".
var diagnosticLine = lazyregexp.New(`^\s*(?:vet: )?((?:[A-Za-z]:)?[^:\s][^:]*\.[A-Za-z]+):(\d+)(?::(\d+))?: (.*)$`)

// buildFinding parses the errors of a package.
func (g *goCommand) buildFinding(block *buildBlock, note string) finding {
	f := finding{kind: kindOfBuild(block, note), own: true}
	var found []diagnostic
	inDiagnostic := false
	for i, text := range block.lines {
		f.lines = append(f.lines, line{text: text})
		if m := diagnosticLine.FindStringSubmatch(text); m != nil {
			inDiagnostic = true
			if m[4] == "too many errors" {
				continue
			}
			if len(found) == 0 {
				f.anchor = i
			}
			at := g.selection.uncovered(f.kind, m[1], m[3])
			if note == noteSetupFailed {
				at.file = g.tree.fromCommand(at.file)
			}
			found = append(found, diagnostic{buildPlace(g.tree, block.owner, at, m[2]), m[4]})
		} else if inDiagnostic && len(found) > 0 && strings.HasPrefix(text, "\t") {
			found[len(found)-1].message += "\n" + text
		}
	}
	for i, d := range found {
		if i == 0 {
			f.location, f.message = d.location, d.message
			continue
		}
		f.also = append(f.also, sdk.Also{Location: d.location, Message: d.message})
	}
	if by := block.endedBy(); by != "" {
		f.message = "a tool of the build was ended by a signal: " + by
		return f
	}
	if len(found) == 0 {
		f.message = wording.Tidy(reasonFirst(block.lines))
		f.location = importPlace(g.tree, block)
	}
	return f
}

func buildPlace(tree *tree, owner string, at written, line string) sdk.Location {
	place := tree.locate(&suite{name: owner}, at.file, parseDigits(line))
	place.Column = parseDigits(at.column)
	return place
}

func parseDigits(digits string) int {
	n, _ := strconv.Atoi(digits) // the expression matched digits, so at worst the number is too large
	return n
}

// kindOfBuild distinguishes errors of the compiler, of vet and of the preparation.
func kindOfBuild(block *buildBlock, note string) string {
	all := strings.Join(block.lines, "\n")
	switch {
	case strings.Contains(all, "wrong signature for "):
		return sdk.KindBuild
	case note == noteSetupFailed:
		return sdk.KindSetup
	case strings.Contains(all, ": error:"), strings.Contains(all, ": fatal error:"), strings.Contains(all, "could not determine what C."):
		return sdk.KindBuild // cgo output has vet's second header, too
	case block.vet, vetWords.MatchString(all) && !strings.Contains(all, "undefined: "):
		return sdk.KindVet
	}
	return sdk.KindBuild
}

// vetWords matches messages of the checks that go test runs. Before Go 1.22 vet has no
// header of its own.
var vetWords = lazyregexp.New(`format %|possible formatting directive|call needs \d+ args? but has|arg list ends with redundant newline|` +
	`refers to unknown (identifier|type|field or method)|has malformed (name|example suffix)|must be of the form Test|\+build|//go:build|misplaced //go:|` +
	`second argument to errors\.As|impossible type assertion|comparison of function|conversion from .* to string yields a string of one rune|` +
	`direct assignment to atomic value|(redundant|suspect) (or|and): |passes lock by value`)

// importLine matches the lines of go list about import errors.
var importLine = lazyregexp.New(`^\s*imports (\S+?)(?: from (\S+?))?(?::.*)?$`)

// reasonFirst moves the reason for which a package cannot be loaded to the front: go list
// says it at the end of the last import.
func reasonFirst(lines []string) []string {
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "package ") {
		return lines
	}
	last := lines[len(lines)-1]
	chain, reason, found := strings.Cut(last, ": ")
	if !found || !importLine.MatchString(last) {
		return lines
	}
	return slices.Concat([]string{reason}, lines[:len(lines)-1], []string{chain})
}

// importPlace finds the import that caused an error without a place.
func importPlace(tree *tree, block *buildBlock) sdk.Location {
	dir, ok := tree.dir(block.owner)
	if !ok {
		return sdk.Location{}
	}
	for _, text := range block.lines {
		m := importLine.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for file, src := range tree.sourcesOf(tree.source(&suite{name: block.owner}).files) {
			if m[2] != "" && filepath.Base(file) != m[2] {
				continue
			}
			for i, l := range strings.Split(string(src), "\n") {
				if strings.Contains(l, strconv.Quote(m[1])) {
					return sdk.Location{File: tree.relative(file), Line: i + 1}
				}
			}
		}
	}
	if m := mixedPackages.FindStringSubmatch(strings.Join(block.lines, "\n")); m != nil {
		return sdk.Location{File: tree.relative(filepath.Join(dir, m[1]))}
	}
	return sdk.Location{}
}

// mixedPackages matches the error that names a file of another package.
var mixedPackages = lazyregexp.New(`found packages \S+ \(\S+\) and \S+ \((\S+)\) in `)
