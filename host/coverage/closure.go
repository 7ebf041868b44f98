package coverage

import (
	"fmt"
	"maps"
	"slices"
)

// closure is a graph with numbers in place of names and edges both ways. Its places are
// the suites, then the parts, each sorted by name.
type closure struct {
	errors []string
	suites []string
	number map[string]int
	// needs and neededBy are edges between places.
	needs, neededBy [][]int32
	// files and patterns are sorted; filesIn and patternsIn hold their indices by place.
	files, patterns     []string
	filesIn, patternsIn [][]int32
	// holders maps a file to the places that have it. inDir and below map a directory to
	// the places with a pattern there, below for patterns with "**".
	holders      map[string][]int32
	inDir, below map[string][]patternPlace
	// tools are the files that belong only to tools.
	tools map[string]bool
}

type patternPlace struct {
	pattern string
	place   int32
}

func newClosure(g *Graph) *closure {
	c := &closure{
		errors: slices.Clone(g.errors), suites: slices.Sorted(maps.Keys(g.Suites)), number: map[string]int{},
		holders: map[string][]int32{}, inDir: map[string][]patternPlace{}, below: map[string][]patternPlace{}, tools: map[string]bool{},
	}
	names := slices.Sorted(maps.Keys(g.parts))
	place := make(map[string]int32, len(names))
	for i, name := range names {
		place[name] = int32(len(c.suites) + i)
	}
	places := len(c.suites) + len(names)
	c.needs, c.neededBy = make([][]int32, places), make([][]int32, places)
	c.filesIn, c.patternsIn = make([][]int32, places), make([][]int32, places)
	c.number = make(map[string]int, len(c.suites))
	for i, name := range c.suites {
		c.number[name] = i
		c.addEdges(int32(i), name, g.Suites[name].Needs, place)
	}
	for _, name := range names {
		c.addEdges(place[name], name, g.parts[name].needs, place)
	}
	fileNumber, patternNumber := numberParts(g.parts, func(p *part) []string { return p.files }, &c.files), numberParts(g.parts, func(p *part) []string { return p.patterns }, &c.patterns)
	for _, name := range names {
		at := place[name]
		for _, f := range g.parts[name].files {
			c.filesIn[at] = append(c.filesIn[at], fileNumber[f])
			c.holders[f] = append(c.holders[f], at)
		}
		for _, p := range g.parts[name].patterns {
			c.patternsIn[at] = append(c.patternsIn[at], patternNumber[p])
			dir, last := split(p)
			if last == everything {
				c.below[dir] = append(c.below[dir], patternPlace{p, at})
			} else {
				c.inDir[dir] = append(c.inDir[dir], patternPlace{p, at})
			}
		}
	}
	for f, places := range c.holders {
		c.tools[f] = !slices.ContainsFunc(places, func(at int32) bool { return !g.parts[names[int(at)-len(c.suites)]].tools })
	}
	return c
}

// numberParts sorts the texts of all parts and returns the index of each.
func numberParts(parts map[string]*part, of func(*part) []string, sorted *[]string) map[string]int32 {
	number := map[string]int32{}
	for _, p := range parts {
		for _, text := range of(p) {
			number[text] = 0
		}
	}
	*sorted = slices.Sorted(maps.Keys(number))
	for i, text := range *sorted {
		number[text] = int32(i)
	}
	return number
}

// addEdges connects a place with what it needs.
func (c *closure) addEdges(from int32, name string, needs []string, place map[string]int32) {
	for _, need := range needs {
		to, ok := place[need]
		if !ok {
			if len(c.errors) < maxErrors {
				c.errors = append(c.errors, fmt.Sprintf("%s needs %s, which was not listed", name, need))
			}
			continue
		}
		c.needs[from] = append(c.needs[from], to)
		c.neededBy[to] = append(c.neededBy[to], from)
	}
}

// visitReachable calls visit once for each place reachable by edges from the given ones,
// including these.
func visitReachable(edges [][]int32, from []int32, visit func(place int32)) {
	seen := make([]bool, len(edges))
	var todo []int32
	push := func(places []int32) {
		for _, p := range places {
			if !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	for push(from); len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		visit(p)
		push(edges[p])
	}
}

// collect returns the texts of all places that a suite needs. They are numbered in sorted
// order, so the result is sorted.
func (c *closure) collect(suite string, texts []string, in [][]int32) []string {
	at, ok := c.number[suite]
	if !ok {
		return nil
	}
	has, count := make([]bool, len(texts)), 0
	visitReachable(c.needs, []int32{int32(at)}, func(p int32) {
		for _, n := range in[p] {
			if !has[n] {
				has[n] = true
				count++
			}
		}
	})
	found := make([]string, 0, count)
	for n, text := range texts {
		if has[n] {
			found = append(found, text)
		}
	}
	return found
}

// Files returns all files that a suite is built from, sorted.
func (g *Graph) Files(suite string) []string {
	c := g.closed()
	return c.collect(suite, c.files, c.filesIn)
}

// Patterns returns where a new or removed file changes a suite, sorted.
func (g *Graph) Patterns(suite string) []string {
	c := g.closed()
	return c.collect(suite, c.patterns, c.patternsIn)
}

// OfTools reports whether a file belongs to the build tools and is not a source.
func (g *Graph) OfTools(file string) bool { return g.closed().tools[file] }

// usedBy returns the suites built from an existing file, sorted.
func (g *Graph) usedBy(file string) []string {
	c := g.closed()
	return c.suitesNeeding(c.holders[file])
}

// BuiltFrom returns the suites that are built from a file, or would be if it existed,
// sorted.
func (g *Graph) BuiltFrom(file string) []string {
	c := g.closed()
	from := slices.Clone(c.holders[file])
	dir, _ := split(file)
	for _, p := range c.inDir[dir] {
		if Matches(p.pattern, file) {
			from = append(from, p.place)
		}
	}
	for {
		for _, p := range c.below[dir] {
			from = append(from, p.place)
		}
		if dir == "" || dir == "/" {
			break
		}
		dir, _ = split(dir)
	}
	return c.suitesNeeding(from)
}

// suitesNeeding returns the suites that need any of the places, sorted.
func (c *closure) suitesNeeding(from []int32) []string {
	var found []int32
	visitReachable(c.neededBy, from, func(p int32) {
		if int(p) < len(c.suites) {
			found = append(found, p)
		}
	})
	slices.Sort(found)
	names := make([]string, len(found))
	for i, p := range found {
		names[i] = c.suites[p]
	}
	return names
}
