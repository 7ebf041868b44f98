package affected_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// drawProgram generates a few packages that import later ones, with functions that call
// later functions.
func drawProgram(t *rapid.T) program {
	p := program{imports: map[string][]string{}, sources: map[string][]unit{}, data: map[string]string{"go.mod": "1", "notes": "1"}}
	packages := rapid.IntRange(1, 4).Draw(t, "packages")
	for i := packages - 1; i >= 0; i-- {
		pkg := fmt.Sprintf("p%d", i)
		p.imports[pkg] = nil
		for j := i + 1; j < packages; j++ {
			if rapid.Bool().Draw(t, "imports") {
				p.imports[pkg] = append(p.imports[pkg], fmt.Sprintf("p%d", j))
			}
		}
		for _, name := range []string{"one", "two", "embedded"} {
			if rapid.Bool().Draw(t, "data") {
				file := pkg + "/testdata/" + name
				if name == "embedded" {
					file = pkg + "/embedded"
				}
				p.data[file] = "1"
			}
		}
		for _, file := range []string{pkg + "/a.go", pkg + "/b.go"} {
			p.sources[file] = nil
		}
		for n := rapid.IntRange(1, 5).Draw(t, "functions"); n > 0; n-- {
			p.add(t, pkg, fmt.Sprintf("%s.f%d", pkg, n))
		}
		p.sources[pkg+"/x_test.go"] = nil
		for _, name := range []string{"helper", "T1", "T2", "T3"} {
			if rapid.Bool().Draw(t, "test") {
				p.add(t, pkg, pkg+"."+name)
			}
		}
	}
	return p
}

// add adds a unit to a package; its name determines its kind.
func (p program) add(t *rapid.T, pkg, name string) {
	file := rapid.SampledFrom([]string{pkg + "/a.go", pkg + "/b.go"}).Draw(t, "file")
	u := unit{name: name, above: rapid.IntRange(0, 2).Draw(t, "above")}
	switch _, last, _ := strings.Cut(name, "."); {
	case last == "helper":
		u.kind = helper
	case last[0] == 'T':
		u.kind = test
		u.opaque = rapid.IntRange(0, 9).Draw(t, "opaque") == 7
	default:
		u.kind = rapid.SampledFrom([]kind{function, function, function, constant, starter}).Draw(t, "kind")
	}
	if u.kind == test || u.kind == helper {
		file = pkg + "/x_test.go"
	}
	p.fill(t, pkg, &u)
	p.sources[file] = append(p.sources[file], u)
}

// fill generates what a unit does: it calls later units by name.
func (p program) fill(t *rapid.T, pkg string, u *unit) {
	u.value = rapid.IntRange(0, 3).Draw(t, "value")
	if u.kind == constant {
		return
	}
	var functions, constants, data []string
	for _, file := range slices.Sorted(maps.Keys(p.sources)) {
		dir := path.Dir(file)
		if dir != pkg && !slices.Contains(p.imports[pkg], dir) {
			continue
		}
		for _, other := range p.sources[file] {
			beside := dir == pkg && (u.kind == test || u.kind == helper)
			switch {
			case other.kind == constant:
				constants = append(constants, other.name)
			case other.kind == function && (dir != pkg || beside || other.name > u.name && u.kind == function || u.kind == starter),
				other.kind == helper && dir == pkg && u.kind == test:
				functions = append(functions, other.name)
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(p.data)) {
		if strings.Contains(file, "testdata") {
			data = append(data, file)
		}
	}
	data = append(data, pkg+"/testdata/two", "notes")
	some := func(of []string, label string) []string {
		if len(of) == 0 {
			return nil
		}
		return rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, min(2, len(slices.Compact(slices.Clone(of)))), rapid.ID[string]).Draw(t, label)
	}
	rarely := func(label string) bool { return rapid.IntRange(0, 4).Draw(t, label) == 3 }
	slices.Sort(data)
	data = slices.Compact(data)
	u.calls, u.branch, u.uses = some(functions, "calls"), some(functions, "branch"), some(constants, "uses")
	u.reads, u.listed, u.embeds = nil, nil, nil
	if rarely("reads") {
		u.reads = some(data, "files")
	}
	if rarely("lists") {
		u.listed = []string{pkg + "/testdata"}
	}
	if rarely("embeds") {
		u.embeds = []string{pkg + "/embedded"}
	}
	u.finds, u.leaves = nil, nil
	if rapid.Bool().Draw(t, "finds") {
		u.finds = some([]string{"count", "table"}, "found")
	}
	if rapid.Bool().Draw(t, "leaves") {
		u.leaves = some([]string{"count", "table"}, "left")
	}
	u.caller = rarely("caller")
}

// edit changes a program at random and keeps it buildable.
func (p program) edit(t *rapid.T) {
	packages := slices.Sorted(maps.Keys(p.imports))
	pkg := rapid.SampledFrom(packages).Draw(t, "package")
	file := pkg + "/" + rapid.SampledFrom([]string{"a.go", "b.go", "x_test.go"}).Draw(t, "source")
	units := p.sources[file]
	switch what := rapid.SampledFrom([]string{"value", "value", "fill", "above", "inside", "order", "add", "remove", "data", "data", "module", "file", "test"}).Draw(t, "edit"); what {
	case "value", "fill", "above", "inside":
		if len(units) == 0 {
			return
		}
		u := &units[rapid.IntRange(0, len(units)-1).Draw(t, "unit")]
		switch what {
		case "value":
			u.value++
		case "fill":
			p.fill(t, pkg, u)
		case "above":
			u.above = rapid.IntRange(0, 3).Draw(t, "above")
		case "inside":
			u.inside = rapid.IntRange(0, 3).Draw(t, "inside")
		}
	case "order":
		p.sources[file] = rapid.Permutation(units).Draw(t, "order")
	case "add":
		p.add(t, pkg, fmt.Sprintf("%s.f%d", pkg, 10+len(p.units())))
	case "test":
		p.add(t, pkg, fmt.Sprintf("%s.T%d", pkg, 10+len(p.units())))
	case "remove":
		p.sources[file] = slices.DeleteFunc(slices.Clone(units), func(u unit) bool { return u.kind != test && !p.used(u.name) })
	case "data":
		name := rapid.SampledFrom([]string{pkg + "/testdata/one", pkg + "/testdata/two", pkg + "/testdata/three", pkg + "/embedded", "notes"}).Draw(t, "data")
		if _, ok := p.data[name]; ok && rapid.Bool().Draw(t, "delete") {
			delete(p.data, name)
		} else {
			p.data[name] += "1"
		}
	case "module":
		p.data["go.mod"] += "1"
	case "file":
		p.sources[pkg+"/c.go"] = append(p.sources[pkg+"/c.go"], p.sources[pkg+"/b.go"]...)
		delete(p.sources, pkg+"/b.go")
	}
}

func (p program) used(name string) bool {
	for _, u := range p.units() {
		if slices.Contains(slices.Concat(u.calls, u.branch, u.uses), name) {
			return true
		}
	}
	return false
}
