package affected

import (
	"cmp"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
)

// rank orders the reasons for selecting a test, most precise first.
type rank int

const (
	rankDeclared rank = iota
	rankNew
	rankExecutes
	rankReads
	rankState
	rankDepends
	rankBuilt
	rankEnded
	rankOpaque
	rankOutstanding
	rankUnknown
)

// reason is why a test or suite is selected.
type reason struct {
	rank        rank
	granularity api.Granularity
	text        string
}

func (r reason) before(other reason) bool {
	return cmp.Or(cmp.Compare(r.rank, other.rank), cmp.Compare(r.text, other.text)) < 0
}

func (r reason) chosen(suite, test string) api.ChosenTest {
	return api.ChosenTest{Suite: suite, Test: test, Granularity: r.granularity, Why: r.text}
}

// pick is what is selected in a suite.
type pick struct {
	// built reports whether it is built from something that changed, which may break
	// its build.
	built bool
	whole *reason
	tests map[string]reason
}

// test picks a test.
func (p *pick) test(name string, r reason) {
	if p.tests == nil {
		p.tests = map[string]reason{}
	}
	if known, ok := p.tests[name]; !ok || r.before(known) {
		p.tests[name] = r
	}
}

// all picks all tests.
func (p *pick) all(r reason) {
	if p.whole == nil || r.before(*p.whole) {
		p.whole = &r
	}
}

// settle picks all tests of a suite if any is picked and one is known to end differently
// alone, since that one depends on the others.
func (p *pick) settle(m *coverage.Suite) {
	if len(p.tests) == 0 || p.whole != nil {
		return
	}
	for _, t := range m.Tests {
		if t.Together != "" && t.Alone != "" && t.Together != t.Alone {
			p.all(reason{rankDepends, api.GranularitySuite, t.Name + " ends differently alone than with the other tests of its suite"})
			return
		}
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
