package affected_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// execution is a running program.
type execution struct {
	p      program
	units  map[string]unit
	places map[string]place

	trace    strings.Builder
	executed map[place]int // its blocks: 1 is the first, 2 both
	reads    map[string]bool
	opaque   string
	state    map[string]int
}

// closure returns the packages that one is built with, sorted.
func (p program) closure(pkg string) []string {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(pkg string) {
		if !seen[pkg] {
			seen[pkg] = true
			for _, imported := range p.imports[pkg] {
				visit(imported)
			}
		}
	}
	visit(pkg)
	return slices.Sorted(maps.Keys(seen))
}

// sourcesOf returns the files of a package without its tests, sorted.
func (p program) sourcesOf(pkg string) []string {
	var files []string
	for file := range p.sources {
		if path.Dir(file) == pkg && !strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// start starts the program of a package's tests.
func (p program) start(pkg string) *execution {
	e := &execution{p: p, units: p.units(), places: p.places(), executed: map[place]int{}, reads: map[string]bool{}, state: map[string]int{}}
	fmt.Fprintln(&e.trace, p.data["go.mod"])
	for _, dep := range p.closure(pkg) {
		for _, file := range p.sourcesOf(dep) {
			for _, u := range p.sources[file] {
				if u.kind == starter {
					e.execute(u.name, 0)
				}
			}
		}
	}
	return e
}

func (e *execution) execute(name string, from int) {
	u, ok := e.units[name]
	if !ok {
		fmt.Fprintln(&e.trace, "no", name)
		return
	}
	at := e.places[name]
	e.executed[at] = max(e.executed[at], 1)
	fmt.Fprintln(&e.trace, name, u.value)
	sum := u.value
	for _, c := range u.uses {
		fmt.Fprintln(&e.trace, c, e.units[c].value)
		sum += e.units[c].value
	}
	for _, file := range append(slices.Clone(u.reads), u.listed...) {
		e.reads[file] = true
		fmt.Fprintln(&e.trace, file, e.p.digest(file))
	}
	for _, file := range u.embeds {
		fmt.Fprintln(&e.trace, file, e.p.digest(file))
	}
	if u.caller {
		fmt.Fprintln(&e.trace, "called from", from)
	}
	if u.opaque {
		e.opaque = "it starts another program: go"
		fmt.Fprintln(&e.trace, e.p.everything())
	}
	for _, state := range u.finds {
		fmt.Fprintln(&e.trace, state, e.state[state])
		sum += e.state[state]
	}
	for _, state := range u.leaves {
		e.state[state] += u.value
	}
	for _, callee := range u.calls {
		e.execute(callee, at.first)
	}
	if sum%2 != 0 {
		e.executed[at] = 2
		for _, callee := range u.branch {
			e.execute(callee, at.second)
		}
	}
}

// outcome is all that can be observed of a test.
func (p program) outcome(pkg, name string) string {
	e := p.start(pkg)
	e.execute(name, 0)
	return e.trace.String()
}

// together returns the outcomes of tests of a package that run together in order, and
// what each did.
func (p program) together(pkg string, runs func(test string) bool) (outcomes map[string]string, did map[string]*execution) {
	e := p.start(pkg)
	start := e.trace.String()
	outcomes, did = map[string]string{}, map[string]*execution{}
	for _, name := range p.suites()[pkg] {
		if runs(name) {
			one := &execution{p: p, units: e.units, places: e.places, executed: map[place]int{}, reads: map[string]bool{}, state: e.state}
			one.execute(name, 0)
			outcomes[name], did[name] = start+one.trace.String(), one
		}
	}
	return outcomes, did
}

func anyTest(string) bool { return true }

// status turns some outcomes into failures, at random.
func status(outcome string) sdk.Status {
	switch hash(outcome)[0] {
	case '0':
		return sdk.Failed
	case '1':
		return sdk.Skipped
	}
	return sdk.Passed
}

// graph lists what the suites are built from.
func (p program) graph() *coverage.Graph {
	g := coverage.NewGraph()
	g.Part(sdk.ListedPart{Name: "module", Files: []string{"go.mod"}})
	for pkg, imports := range p.imports {
		files := p.sourcesOf(pkg)
		if _, ok := p.data[pkg+"/embedded"]; ok {
			files = append(files, pkg+"/embedded")
		}
		g.Part(sdk.ListedPart{Name: pkg, Files: files, Patterns: []string{pkg + "/*.go", pkg + "/embedded"}, Needs: append([]string{"module"}, imports...)})
		g.Part(sdk.ListedPart{Name: pkg + " [tests]", Files: []string{pkg + "/x_test.go"}, Needs: []string{pkg}})
		s := sdk.ListedSuite{Suite: pkg, Needs: []string{pkg + " [tests]"}}
		for _, name := range p.suites()[pkg] {
			s.Tests = append(s.Tests, sdk.ListedTest{Name: name})
		}
		g.Suite(s)
	}
	return g
}

// measure runs each test of a package alone.
func (p program) measure(pkg string) *coverage.Suite {
	g := p.graph()
	m := &coverage.Suite{Suite: pkg, Granularity: api.GranularityTest, Inputs: map[string]string{}, Built: map[string]bool{}, Patterns: g.Patterns(pkg)}
	blocks := map[place]int{}
	count := 0
	places := p.places()
	for _, file := range g.Files(pkg) {
		m.Inputs[file], m.Built[file] = p.digest(file), true
		units, ok := p.outline(file)
		if !ok {
			continue
		}
		text, _ := p.text(file)
		sheet := &coverage.Sheet{Path: file, Digest: p.digest(file), Lines: coverage.HashLines([]byte(text)), Units: units}
		m.Sheets = append(m.Sheets, sheet)
		for _, u := range p.sources[file] {
			if u.kind != function && u.kind != starter {
				continue
			}
			at := places[u.name]
			blocks[at] = count
			count += 2
			sheet.Blocks = append(sheet.Blocks, sdk.Block{StartLine: at.name, EndLine: at.first}, sdk.Block{StartLine: at.second, EndLine: at.second})
		}
	}
	set := func(e *execution) (s sdk.BlockSet) {
		for at, n := range e.executed {
			if first, ok := blocks[at]; ok {
				s = s.Add(first)
				if n == 2 {
					s = s.Add(first + 1)
				}
			}
		}
		return s
	}
	m.StartUp = set(p.start(pkg))
	together, did := p.together(pkg, anyTest)
	for _, name := range p.suites()[pkg] {
		e := p.start(pkg)
		e.execute(name, 0)
		among := set(did[name])
		t := coverage.Test{Name: name, Opaque: e.opaque, Alone: status(e.trace.String()), Reads: slices.Sorted(maps.Keys(e.reads))}
		t.Together = status(together[name])
		all := set(e)
		for n := range count {
			if all.Has(n) || among.Has(n) {
				m.Whole = m.Whole.Add(n)
				if all.Has(n) && !m.StartUp.Has(n) {
					t.Blocks = t.Blocks.Add(n)
				}
			}
		}
		for _, file := range t.Reads {
			m.Inputs[file] = p.digest(file)
		}
		m.Tests = append(m.Tests, t)
	}
	return m
}
