package coverage

import (
	"maps"
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// StateMap knows which state that outlives a test, such as variables of packages, the
// units of a suite use and may change. What one test leaves there another may find.
//
// Names join the units: what a unit mentions it may execute, or use. So more may be
// reached than is, and nothing less as far as the plugin tells it.
type StateMap struct {
	suite *Suite
	units []stateUnit
	// defined has the units that define a name, tests those that declare a test.
	defined, tests map[string][]int
	// union joins names that stand for the same state.
	union map[string]string
	// changeable are the states that any unit may change.
	changeable map[string]bool
	// declared has the first unit that defines a state.
	declared map[string]int
	told     bool
	// changed are the units that are not what they were, as they were and as they are.
	changed map[int]bool
	// asItWas and whatever remember what was found out of tests, by name.
	asItWas, whatever map[string]traffic
}

// stateUnit is a unit, and the blocks of it that were measured.
type stateUnit struct {
	sdk.SourceUnit
	file   string
	blocks []int
	// start: it is executed before any test. together: the tests executed it when they ran
	// together. now: it is of a file as it is now, and not as it was measured.
	start, together, now bool
	// uses and changes are the states that it mentions and may change.
	uses, changes []string
}

// Use is why a test may find something else than it did: what it executes uses a state
// that a unit may leave otherwise.
type Use struct {
	// By names the unit that uses it, State what it is, and Left the unit that may
	// change it; the files are where they are.
	By, ByFile, State, StateFile, Left, LeftFile string
}

// Left is something that a unit may leave for other tests and that is not followed.
type Left struct{ What, Unit, File string }

// NewStateMap makes a map of a suite. now are the units of the files that differ from what
// they were.
func NewStateMap(s *Suite, now map[string][]sdk.SourceUnit) *StateMap {
	m := &StateMap{suite: s, defined: map[string][]int{}, tests: map[string][]int{}, union: map[string]string{}, changeable: map[string]bool{}, declared: map[string]int{}, changed: map[int]bool{}, asItWas: map[string]traffic{}, whatever: map[string]traffic{}}
	first := 0
	for _, sheet := range s.Sheets {
		for _, u := range sheet.Units {
			m.add(stateUnit{SourceUnit: u, file: sheet.Path}, sheet, first)
		}
		first += len(sheet.Blocks)
	}
	for _, file := range slices.Sorted(maps.Keys(now)) {
		for _, u := range now[file] {
			m.add(stateUnit{SourceUnit: u, file: file, now: true}, nil, 0)
		}
	}
	m.join()
	m.compare(now)
	return m
}

func (m *StateMap) add(u stateUnit, sheet *Sheet, first int) {
	if sheet != nil && u.Kind != sdk.UnitName {
		for i, b := range sheet.Blocks {
			if b.EndLine >= u.StartLine && b.StartLine <= u.EndLine {
				u.blocks = append(u.blocks, first+i)
				u.start = u.start || m.suite.StartUp.Has(first+i)
				u.together = u.together || m.suite.Whole.Has(first+i)
			}
		}
	}
	for _, name := range u.State.Defines {
		m.defined[name] = append(m.defined[name], len(m.units))
		m.told = true
	}
	if u.Kind == sdk.UnitTest {
		m.tests[u.Test] = append(m.tests[u.Test], len(m.units))
	}
	m.told = m.told || len(u.State.Mentions) > 0
	m.units = append(m.units, u)
}

// compare finds the units that are not what they were.
func (m *StateMap) compare(now map[string][]sdk.SourceUnit) {
	type key struct {
		file, name, digest string
		kind               sdk.UnitKind
	}
	sides := map[bool]map[key]bool{false: {}, true: {}}
	of := func(u *stateUnit) key { return key{u.file, u.Name, u.Digest, u.Kind} }
	for i := range m.units {
		sides[m.units[i].now][of(&m.units[i])] = true
	}
	for i := range m.units {
		u := &m.units[i]
		if now[u.file] != nil && !sides[!u.now][of(u)] {
			m.changed[i] = true
		}
	}
}

// join finds out which names are one state, and which units use and change which.
func (m *StateMap) join() {
	shared := map[string]bool{}
	for i := range m.units {
		for _, name := range m.units[i].State.Shared {
			shared[name] = true
		}
	}
	changed := make([][]string, len(m.units))
	for i := range m.units {
		s := &m.units[i].State
		for _, name := range s.Defines[min(1, len(s.Defines)):] {
			m.unite(s.Defines[0], name)
		}
		changed[i] = s.Writes
		for _, name := range s.Lends {
			if shared[name] {
				changed[i] = append(slices.Clip(changed[i]), name)
			}
		}
	}
	for i := range m.units {
		u := &m.units[i]
		// What is put into another variable is reached by both.
		if lent := changed[i][len(u.State.Writes):]; len(lent) > 0 {
			for _, name := range slices.Concat(u.State.Writes, lent) {
				m.unite(lent[0], name)
			}
			if len(u.State.Shared) > 0 {
				m.unite(lent[0], u.State.Defines[0])
			}
		}
	}
	for i := range m.units {
		u := &m.units[i]
		for _, name := range changed[i] {
			u.changes = append(u.changes, m.find(name))
			m.changeable[m.find(name)] = true
		}
	}
	for i := range m.units {
		u := &m.units[i]
		for _, name := range u.State.Mentions {
			if state := m.find(name); m.changeable[state] {
				u.uses = append(u.uses, state)
			}
		}
		for _, name := range u.State.Defines {
			if _, ok := m.declared[m.find(name)]; !ok {
				m.declared[m.find(name)] = i
			}
		}
		slices.Sort(u.uses)
		u.uses = slices.Compact(append(u.uses, u.changes...))
	}
}

func (m *StateMap) find(name string) string {
	for {
		up, ok := m.union[name]
		if !ok || up == name {
			return name
		}
		if above, ok := m.union[up]; ok {
			m.union[name] = above
		}
		name = up
	}
}

func (m *StateMap) unite(a, b string) {
	if a, b = m.find(a), m.find(b); a != b {
		m.union[b] = a
	}
}

// Told reports whether the plugin says anything of state.
func (m *StateMap) Told() bool { return m.told }

// Effect is what tests may leave otherwise than they did.
type Effect struct {
	m       *StateMap
	reached []bool
	// left has the unit that may change a state, needed the one that uses it.
	left, needed map[string]int
	own          map[int]bool
}

// Effect is what nothing leaves yet.
func (m *StateMap) Effect() *Effect {
	return &Effect{m: m, reached: make([]bool, len(m.units)), left: map[string]int{}, needed: map[string]int{}, own: map[int]bool{}}
}

// Test adds what a test may leave: by what it executed when it was measured, by how it is
// declared now and then, and by all that these lead to.
func (e *Effect) Test(name string) {
	e.reach(e.m.ofTest(name))
}

// Changed adds what the units may leave that were not there, or otherwise, when the suite
// was measured.
func (e *Effect) Changed() {
	e.reach(slices.DeleteFunc(slices.Sorted(maps.Keys(e.m.changed)), func(i int) bool { return !e.m.units[i].now }))
}

// Leads reports whether what a test executes, or is declared as, leads to a unit that
// changed.
func (m *StateMap) Leads(name string) bool {
	leads := false
	m.walk(m.ofTest(name), make([]bool, len(m.units)), nil, func(i int) { leads = leads || m.changed[i] })
	return leads
}

// ofTest are the units that a test executed when it was measured, and that declare it now
// and then.
func (m *StateMap) ofTest(name string) []int {
	from := slices.Clone(m.tests[name])
	for i := range m.suite.Tests {
		if t := &m.suite.Tests[i]; t.Name == name {
			from = append(from, m.executed(t)...)
		}
	}
	return from
}

// reach adds what units may leave, and all that they lead to.
func (e *Effect) reach(from []int) {
	for _, i := range from {
		e.own[i] = true
	}
	e.m.walk(from, e.reached, nil, func(i int) {
		for _, state := range e.m.units[i].changes {
			if _, ok := e.left[state]; !ok {
				e.left[state] = i
			}
		}
	})
}

// walk visits units and those that they lead to, each that was not seen. Where only is
// not nil, it goes no further than to those of which it holds.
func (m *StateMap) walk(from []int, seen []bool, only func(*stateUnit) bool, visit func(i int)) {
	var todo []int
	push := func(i int) {
		if !seen[i] {
			seen[i] = true
			todo = append(todo, i)
		}
	}
	for _, i := range from {
		push(i)
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		visit(i)
		for _, name := range m.units[i].State.Mentions {
			for _, to := range m.defined[name] {
				if only == nil || only(&m.units[to]) {
					push(to)
				}
			}
		}
	}
}

// executed are the units of which a test executed a block.
func (m *StateMap) executed(t *Test) []int {
	var units []int
	for i := range m.units {
		if slices.ContainsFunc(m.units[i].blocks, t.Blocks.Has) {
			units = append(units, i)
		}
	}
	return units
}

// unmeasured tells of a unit that a measurement does not show whether a test executes it:
// it has no blocks, or is executed before the first test as well.
func unmeasured(u *stateUnit) bool { return !u.now && (len(u.blocks) == 0 || u.start) }

// traffic is what a test uses and may change: states, each with the first unit that does so.
type traffic struct{ uses, changes []touch }

type touch struct {
	state string
	unit  int
}

// traffic collects what units do with state, and those that they lead to.
func (m *StateMap) traffic(from []int, only func(*stateUnit) bool) traffic {
	var all traffic
	used, changed := map[string]bool{}, map[string]bool{}
	note := func(to *[]touch, seen map[string]bool, states []string, unit int) {
		for _, state := range states {
			if !seen[state] {
				seen[state] = true
				*to = append(*to, touch{state, unit})
			}
		}
	}
	m.walk(from, make([]bool, len(m.units)), only, func(i int) {
		note(&all.uses, used, m.units[i].uses, i)
		note(&all.changes, changed, m.units[i].changes, i)
	})
	return all
}

// of is what a test does with state: as it did when it was measured alone, or, where it
// may do otherwise, whatever it leads to.
func (m *StateMap) of(t *Test, otherwise bool) traffic {
	known := m.asItWas
	if otherwise {
		known = m.whatever
	}
	all, ok := known[t.Name]
	if !ok {
		if otherwise {
			all = m.traffic(m.ofTest(t.Name), nil)
		} else {
			all = m.traffic(m.own(t), unmeasured)
		}
		known[t.Name] = all
	}
	return all
}

// Finds reports whether a test may find something else than it did, although it executes
// nothing that changed. Otherwise: it may execute something else than was measured of it.
func (e *Effect) Finds(t *Test, otherwise bool) (use Use, found bool) {
	if len(e.left) == 0 {
		return Use{}, false
	}
	for _, used := range e.m.of(t, otherwise).uses {
		if left, ok := e.left[used.state]; ok {
			return e.m.use(used.unit, used.state, left), true
		}
	}
	return Use{}, false
}

// Strays reports whether a test may be concerned only by what it executes among others and
// not alone: where it uses state, that may lead it to what the tests executed together.
func (e *Effect) Strays(t *Test) bool {
	if len(e.m.of(t, false).uses) == 0 {
		return false
	}
	strays := false
	e.m.walk(e.m.own(t), make([]bool, len(e.m.units)), func(u *stateUnit) bool { return unmeasured(u) || u.together }, func(i int) {
		strays = strays || e.m.changed[i] ||
			slices.ContainsFunc(e.m.units[i].uses, func(state string) bool { _, ok := e.left[state]; return ok }) ||
			slices.ContainsFunc(e.m.units[i].changes, func(state string) bool { _, ok := e.needed[state]; return ok })
	})
	return strays
}

// Needs adds that a test finds what others leave, as in a run of all tests.
func (e *Effect) Needs(t *Test, otherwise bool) {
	for _, used := range e.m.of(t, otherwise).uses {
		if _, ok := e.needed[used.state]; !ok {
			e.needed[used.state] = used.unit
		}
	}
}

// Feeds reports whether a test may leave something that is needed.
func (e *Effect) Feeds(t *Test, otherwise bool) (use Use, found bool) {
	if len(e.needed) == 0 {
		return Use{}, false
	}
	for _, changed := range e.m.of(t, otherwise).changes {
		if by, ok := e.needed[changed.state]; ok {
			return e.m.use(by, changed.state, changed.unit), true
		}
	}
	return Use{}, false
}

// own are the units that a test executes itself, and the one that declares it.
func (m *StateMap) own(t *Test) []int {
	return append(m.executed(t), slices.DeleteFunc(slices.Clone(m.tests[t.Name]), func(i int) bool { return m.units[i].now })...)
}

func (m *StateMap) use(by int, state string, left int) Use {
	use := Use{By: m.units[by].Name, ByFile: m.units[by].file, State: state, Left: m.units[left].Name, LeftFile: m.units[left].file}
	if at, ok := m.declared[state]; ok {
		use.State, use.StateFile = m.units[at].Name, m.units[at].file
	}
	return use
}

// Untold are things that what was added may leave and that are not followed, each once.
func (e *Effect) Untold() []Left {
	var all []Left
	seen := map[string]bool{}
	e.m.walk(slices.Sorted(maps.Keys(e.own)), make([]bool, len(e.m.units)), unmeasured, func(i int) {
		u := &e.m.units[i]
		for _, what := range u.State.Leaves {
			if !seen[what] {
				seen[what] = true
				all = append(all, Left{what, u.Name, u.file})
			}
		}
	})
	return all
}
