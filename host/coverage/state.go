package coverage

import (
	"maps"
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// StateMap knows which state that outlives a test, such as package variables, the
// units of a suite use and may change. What one test leaves there another may find.
//
// Names connect units: a unit may execute or use whatever it mentions. So the map may
// contain more than is real, but never less, as far as the plugin reports it.
type StateMap struct {
	suite *Suite
	units []stateUnit
	// defined maps a name to the units that define it, tests to those that declare a
	// test.
	defined, tests map[string][]int
	// union joins names of the same state.
	union map[string]string
	// changeable are the states that any unit may change.
	changeable map[string]bool
	// declared maps a state to the first unit that defines it.
	declared map[string]int
	told     bool
	// changed are the units that differ from the measurement, old and new.
	changed map[int]bool
	// asItWas and whatever cache findings about tests, by name.
	asItWas, whatever map[string]traffic
}

// stateUnit is a unit and its measured blocks.
type stateUnit struct {
	sdk.SourceUnit
	file   string
	blocks []int
	// start reports whether it is executed before any test, together whether the tests
	// executed it when run together, now whether it is from the present file, not the
	// measured one.
	start, together, now bool
	// uses and changes are the states that it mentions and may change.
	uses, changes []string
}

// Use is why a test may behave differently: something that it executes uses state that a
// unit may now change.
type Use struct {
	// By is the unit that uses it, State the state, and Left the unit that may change
	// it, each with its file.
	By, ByFile, State, StateFile, Left, LeftFile string
}

// Left is something untracked that a unit may leave for other tests.
type Left struct{ What, Unit, File string }

// NewStateMap maps a suite. now are the units of the files that changed.
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
	m.joinNames()
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

// compare finds the changed units.
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

// joinNames finds out which names are one state, and which units use and change it.
func (m *StateMap) joinNames() {
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
		// What is stored in another variable is reachable by both.
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

// Told reports whether the plugin said anything about state.
func (m *StateMap) Told() bool { return m.told }

// Effect is the state that tests may leave changed.
type Effect struct {
	m       *StateMap
	reached []bool
	// left maps a state to the unit that may change it, needed to the one that uses it.
	left, needed map[string]int
	own          map[int]bool
}

// Effect returns an empty effect.
func (m *StateMap) Effect() *Effect {
	return &Effect{m: m, reached: make([]bool, len(m.units)), left: map[string]int{}, needed: map[string]int{}, own: map[int]bool{}}
}

// Test adds what a test may leave, through what it executed when measured, its old and new
// declarations, and everything these lead to.
func (e *Effect) Test(name string) {
	e.reach(e.m.unitsOfTest(name))
}

// Changed adds what new or changed units may leave.
func (e *Effect) Changed() {
	e.reach(slices.DeleteFunc(slices.Sorted(maps.Keys(e.m.changed)), func(i int) bool { return !e.m.units[i].now }))
}

// Leads reports whether what a test executes or declares leads to a changed unit.
func (m *StateMap) Leads(name string) bool {
	leads := false
	m.walk(m.unitsOfTest(name), make([]bool, len(m.units)), nil, func(i int) { leads = leads || m.changed[i] })
	return leads
}

// unitsOfTest returns the units that a test executed when measured, and those that declare
// it, old and new.
func (m *StateMap) unitsOfTest(name string) []int {
	from := slices.Clone(m.tests[name])
	for i := range m.suite.Tests {
		if t := &m.suite.Tests[i]; t.Name == name {
			from = append(from, m.unitsExecuted(t)...)
		}
	}
	return from
}

// reach adds what units may leave, and everything they lead to.
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

// walk visits each unseen unit and those it leads to. If only is not nil, it restricts
// where to continue.
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

// unitsExecuted returns the units with a block that a test executed.
func (m *StateMap) unitsExecuted(t *Test) []int {
	var units []int
	for i := range m.units {
		if slices.ContainsFunc(m.units[i].blocks, t.Blocks.Has) {
			units = append(units, i)
		}
	}
	return units
}

// isUnmeasured reports whether a measurement cannot show that a test executes the unit:
// it has no blocks, or also runs before the first test.
func isUnmeasured(u *stateUnit) bool { return !u.now && (len(u.blocks) == 0 || u.start) }

// traffic is what a test uses and may change: states, each with the first unit that
// does so.
type traffic struct{ uses, changes []touch }

type touch struct {
	state string
	unit  int
}

// collectTraffic collects what units, and those they lead to, do with state.
func (m *StateMap) collectTraffic(from []int, only func(*stateUnit) bool) traffic {
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

// trafficOf returns what a test does with state: as measured alone or, if it may do otherwise,
// everything it leads to.
func (m *StateMap) trafficOf(t *Test, otherwise bool) traffic {
	known := m.asItWas
	if otherwise {
		known = m.whatever
	}
	all, ok := known[t.Name]
	if !ok {
		if otherwise {
			all = m.collectTraffic(m.unitsOfTest(t.Name), nil)
		} else {
			all = m.collectTraffic(m.ownUnits(t), isUnmeasured)
		}
		known[t.Name] = all
	}
	return all
}

// Finds reports whether a test may find changed state although it executes nothing that
// changed. otherwise means that it may execute something else than was measured.
func (e *Effect) Finds(t *Test, otherwise bool) (use Use, found bool) {
	if len(e.left) == 0 {
		return Use{}, false
	}
	for _, used := range e.m.trafficOf(t, otherwise).uses {
		if left, ok := e.left[used.state]; ok {
			return e.m.use(used.unit, used.state, left), true
		}
	}
	return Use{}, false
}

// Strays reports whether a test may be affected by what it executes only when run with
// others: state that it uses may lead it to anything that the tests executed together.
func (e *Effect) Strays(t *Test) bool {
	if len(e.m.trafficOf(t, false).uses) == 0 {
		return false
	}
	strays := false
	e.m.walk(e.m.ownUnits(t), make([]bool, len(e.m.units)), func(u *stateUnit) bool { return isUnmeasured(u) || u.together }, func(i int) {
		strays = strays || e.m.changed[i] ||
			slices.ContainsFunc(e.m.units[i].uses, func(state string) bool { _, ok := e.left[state]; return ok }) ||
			slices.ContainsFunc(e.m.units[i].changes, func(state string) bool { _, ok := e.needed[state]; return ok })
	})
	return strays
}

// Needs adds that a test must find what others leave, as in a run of all tests.
func (e *Effect) Needs(t *Test, otherwise bool) {
	for _, used := range e.m.trafficOf(t, otherwise).uses {
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
	for _, changed := range e.m.trafficOf(t, otherwise).changes {
		if by, ok := e.needed[changed.state]; ok {
			return e.m.use(by, changed.state, changed.unit), true
		}
	}
	return Use{}, false
}

// ownUnits returns the units that a test executes itself, and the one that declares it.
func (m *StateMap) ownUnits(t *Test) []int {
	return append(m.unitsExecuted(t), slices.DeleteFunc(slices.Clone(m.tests[t.Name]), func(i int) bool { return m.units[i].now })...)
}

func (m *StateMap) use(by int, state string, left int) Use {
	use := Use{By: m.units[by].Name, ByFile: m.units[by].file, State: state, Left: m.units[left].Name, LeftFile: m.units[left].file}
	if at, ok := m.declared[state]; ok {
		use.State, use.StateFile = m.units[at].Name, m.units[at].file
	}
	return use
}

// Untold returns the untracked things that may be left, once each.
func (e *Effect) Untold() []Left {
	var all []Left
	seen := map[string]bool{}
	e.m.walk(slices.Sorted(maps.Keys(e.own)), make([]bool, len(e.m.units)), isUnmeasured, func(i int) {
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
