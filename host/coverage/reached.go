package coverage

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// What makes code likelier to be to blame was chosen by faults of one line in real modules.
const (
	// maxCalls is how many calls lead from a test to code that it reaches: beyond, names
	// lead anywhere.
	maxCalls = 4
	// perCall is by how much each further call makes it less likely that the code is to
	// blame.
	perCall = 0.6
	// namesake is by how much it is likelier if the test is named after it, beside if the
	// file of the test is named after its file.
	namesake, beside = 1.5, 2.0
	// byLength is the power of its length by which it is less likely: a short function
	// takes less room for as good a chance.
	byLength = 0.3
	// leastName is the length of a name that says something.
	leastName = 3
	// mostAlike is how many functions may be about as likely as the first: if there are
	// more, the first few are chosen by chance. About is this part of its likelihood.
	mostAlike, alike = 12, 0.95
	// maxCompared bounds the other tests that are looked at, and so the time.
	maxCompared = 200
)

// Declared is a test, by the directory of the file that declares it.
type Declared struct{ Dir, Test string }

// Reached is code that failing tests reach.
type Reached struct {
	File string
	Unit sdk.SourceUnit
}

// RankReached returns the bodies of functions that failing tests reach by the names that
// they mention, likeliest to blame first: what more failing tests reach by fewer calls,
// and fewer other tests of the same directories. It returns nothing if that singles out
// nothing. No test needs to be measured for that, but a name may mean more than is called.
func RankReached(outlines map[string][]sdk.SourceUnit, failing []Declared) []Reached {
	c := newCalls(outlines)
	fails, passes := c.findTests(failing)
	all, suspect := make([]float64, len(c.units)), make([]float64, len(c.units))
	for _, test := range passes {
		for at, calls := range c.reachFrom(test) {
			all[at] += weighCalls(calls)
		}
	}
	for _, test := range fails {
		for at, calls := range c.reachFrom(test) {
			weight := weighCalls(calls)
			all[at] += weight
			suspect[at] += weight * weighNames(c.units[test], c.units[at])
		}
	}
	var order []int
	for i, r := range c.units {
		if suspect[i] > 0 {
			suspect[i] /= math.Sqrt(float64(len(fails))*all[i]) * math.Pow(float64(r.Unit.EndLine-r.Unit.StartLine+1), byLength)
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(suspect[b], suspect[a]) })
	if len(order) > mostAlike && suspect[order[mostAlike]] > alike*suspect[order[0]] {
		return nil
	}
	found := make([]Reached, len(order))
	for i, at := range order {
		found[i] = c.units[at]
	}
	return found
}

func weighCalls(calls int) float64 { return math.Pow(perCall, float64(calls-1)) }

// weighNames returns by how much likelier code is to blame for a test because of their names.
func weighNames(test, code Reached) float64 {
	k := 1.0
	if name := cutQualifier(code.Unit.Name); len(name) >= leastName && strings.Contains(strings.ToLower(test.Unit.Test), strings.ToLower(name)) {
		k *= namesake
	}
	if isBeside(test.File, code.File) {
		k *= beside
	}
	return k
}

// calls says which units mention which. Units are in the order of their files.
type calls struct {
	units   []Reached
	defined map[string][]int
}

func newCalls(outlines map[string][]sdk.SourceUnit) *calls {
	c := &calls{defined: map[string][]int{}}
	for _, file := range slices.Sorted(maps.Keys(outlines)) {
		for _, u := range outlines[file] {
			for _, name := range u.State.Defines {
				c.defined[name] = append(c.defined[name], len(c.units))
			}
			c.units = append(c.units, Reached{file, u})
		}
	}
	return c
}

// findTests finds the failing tests, and others of their directories to compare with.
func (c *calls) findTests(failing []Declared) (fails, passes []int) {
	for i, u := range c.units {
		dir := path.Dir(u.File)
		switch {
		case u.Unit.Kind != sdk.UnitTest:
		case slices.Contains(failing, Declared{dir, u.Unit.Test}):
			fails = append(fails, i)
		case slices.ContainsFunc(failing, func(d Declared) bool { return d.Dir == dir }):
			passes = append(passes, i)
		}
	}
	return fails, thinOut(passes, maxCompared)
}

// thinOut leaves every so many of a list, at most as many as wanted.
func thinOut(list []int, most int) []int {
	step := (len(list) + most - 1) / most
	if step <= 1 {
		return list
	}
	var left []int
	for i := 0; i < len(list); i += step {
		left = append(left, list[i])
	}
	return left
}

// reachFrom returns the bodies that a test reaches, by the least number of calls. What is not a
// body, such as a helper in a file of tests, or a table, counts as part of what mentions
// it.
func (c *calls) reachFrom(test int) map[int]int {
	reached, seen := map[int]int{}, make([]bool, len(c.units))
	seen[test] = true
	now := []int{test}
	for n := 1; n <= maxCalls && len(now) > 0; n++ {
		var next []int
		for len(now) > 0 {
			at := now[len(now)-1]
			now = now[:len(now)-1]
			for _, name := range c.units[at].Unit.State.Mentions {
				for _, to := range c.defined[name] {
					switch kind := c.units[to].Unit.Kind; {
					case seen[to] || kind == sdk.UnitTest:
					case kind == sdk.UnitBody:
						seen[to], reached[to] = true, n
						next = append(next, to)
					default:
						seen[to] = true
						now = append(now, to)
					}
				}
			}
		}
		now = next
	}
	return reached
}

// isBeside reports whether a file of tests is named after a file, as a_test.go is after a.go.
func isBeside(tests, file string) bool {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	rest, ok := strings.CutPrefix(path.Base(tests), stem)
	return ok && path.Dir(tests) == path.Dir(file) && rest != "" && strings.ContainsAny(rest[:1], "_.-")
}

// cutQualifier returns the last part of a name, such as M of (T).M.
func cutQualifier(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
