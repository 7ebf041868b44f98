package affected_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/sdk"
)

// kind is the kind of a unit.
type kind int

const (
	constant kind = iota
	function
	starter // executed when a program starts
	test
	helper // a function besides the tests
)

// unit is a declaration of a program. A function does something observable with its
// value and all it names, calls others, and calls some more if a sum is odd.
type unit struct {
	kind                        kind
	name                        string
	value                       int
	calls, branch, uses, listed []string
	// reads are data files; embeds are built in.
	reads, embeds []string
	// finds is the state it reads, which decides the branch; leaves is the state it
	// adds to.
	finds, leaves []string
	// caller reports whether it sees the line that called it.
	caller bool
	// opaque reports whether it sees everything.
	opaque bool
	// above and inside count its lines of comments.
	above, inside int
}

func (u unit) body() string {
	return fmt.Sprint(u.value, u.calls, u.branch, u.uses, u.listed, u.reads, u.embeds, u.finds, u.leaves, u.caller, u.opaque)
}

// program is a workspace: units by file, and data files.
type program struct {
	imports map[string][]string // of packages
	sources map[string][]unit
	data    map[string]string
}

func (p program) clone() program {
	q := program{imports: p.imports, sources: map[string][]unit{}, data: maps.Clone(p.data)}
	for file, units := range p.sources {
		q.sources[file] = slices.Clone(units)
	}
	return q
}

// text renders a file. Lines have no numbers, so they may move.
func (p program) text(file string) (string, bool) {
	units, ok := p.sources[file]
	if !ok {
		text, ok := p.data[file]
		return text, ok
	}
	var b strings.Builder
	b.WriteString("package\n")
	for _, u := range units {
		b.WriteString(strings.Repeat("// above\n", u.above))
		fmt.Fprintf(&b, "%d %s\n", u.kind, u.name)
		b.WriteString(strings.Repeat("// inside\n", u.inside))
		fmt.Fprintf(&b, "first %s\nsecond\n", u.body())
	}
	return b.String(), true
}

// place is where a unit is: the line of its name, and those of its two blocks.
type place struct {
	file                string
	name, first, second int
}

func (p program) places() map[string]place {
	places := map[string]place{}
	for file, units := range p.sources {
		line := 1
		for _, u := range units {
			name := line + u.above + 1
			places[u.name] = place{file, name, name + u.inside + 1, name + u.inside + 2}
			line = name + u.inside + 2
		}
	}
	return places
}

func (p program) units() map[string]unit {
	all := map[string]unit{}
	for _, units := range p.sources {
		for _, u := range units {
			all[u.name] = u
		}
	}
	return all
}

// files returns the paths of all files, sorted.
func (p program) files() []string {
	return slices.Sorted(maps.Keys(maps.Collect(func(yield func(string, bool) bool) {
		for f := range p.sources {
			yield(f, true)
		}
		for f := range p.data {
			yield(f, true)
		}
	})))
}

// names returns the names in a directory.
func (p program) names(dir string) string {
	var names []string
	for _, file := range p.files() {
		if rest, ok := strings.CutPrefix(file, dir+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			names = append(names, name)
		}
	}
	return strings.Join(slices.Compact(names), " ")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// digest returns the digest of a file, or of the names in a directory.
func (p program) digest(file string) string {
	if text, ok := p.text(file); ok {
		return hash(text)
	}
	if names := p.names(file); names != "" {
		return hash(names)
	}
	return ""
}

// everything is what an opaque test sees.
func (p program) everything() string {
	var b strings.Builder
	for _, file := range p.files() {
		text, _ := p.text(file)
		fmt.Fprintln(&b, file, text)
	}
	return hash(b.String())
}

// outline splits a source like a plugin.
func (p program) outline(file string) ([]sdk.SourceUnit, bool) {
	units, ok := p.sources[file]
	if !ok {
		return nil, false
	}
	out := []sdk.SourceUnit{{Name: "package", Kind: sdk.UnitDeclaration, StartLine: 1, EndLine: 1, Digest: "package"}}
	at := p.places()
	for _, u := range units {
		whole := sdk.SourceUnit{
			Name: u.name, StartLine: at[u.name].name, EndLine: at[u.name].second, Digest: hash(u.body()), Positions: u.caller,
			State: sdk.UnitState{Mentions: slices.Concat(u.calls, u.branch, u.uses, u.finds, u.leaves), Writes: u.leaves},
		}
		if u.kind != test {
			whole.State.Defines = []string{u.name}
		}
		switch u.kind {
		case function:
			name := sdk.SourceUnit{Name: u.name, Kind: sdk.UnitName, StartLine: at[u.name].name, EndLine: at[u.name].name, Digest: u.name}
			whole.Kind, whole.StartLine = sdk.UnitBody, at[u.name].name+1
			out = append(out, name)
		case test:
			whole.Kind, whole.Test = sdk.UnitTest, u.name
		default:
			whole.Kind = sdk.UnitDeclaration
		}
		out = append(out, whole)
	}
	return out, true
}

// changes returns the files in which two programs differ.
func changes(base, now program) []affected.Change {
	var list []affected.Change
	for _, file := range slices.Compact(slices.Sorted(slices.Values(append(base.files(), now.files()...)))) {
		was, then := base.text(file)
		is, there := now.text(file)
		if was != is || then != there {
			list = append(list, affected.Change{Path: file, Added: !then, Removed: !there})
		}
	}
	return list
}

// suites returns the packages with tests, each with its tests by name.
func (p program) suites() map[string][]string {
	suites := map[string][]string{}
	for pkg := range p.imports {
		for _, u := range p.sources[path.Join(pkg, "x_test.go")] {
			if u.kind == test {
				suites[pkg] = append(suites[pkg], u.name)
			}
		}
	}
	return suites
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
