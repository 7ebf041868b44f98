package pattern

import (
	"regexp"
	"strings"
	"time"
)

const (
	// maxLeaves is how many subtests of a package are selected one by one. Each costs a
	// compilation per subtest of its parent: 50 among 10,000 siblings take 1.3 s, 300
	// take 5 s. Beyond it the parents run.
	maxLeaves = 48
	// maxCompileTime is the time that package testing may spend on compiling expressions;
	// beyond it the parents run, which are one expression.
	maxCompileTime = time.Second
	// maxName is the longest name that is selected inside of its test. Nobody writes
	// longer ones, and names of 8 KiB are truncated on their way.
	maxName = 4 << 10
	// compileBase and compileByte estimate one compilation. They were measured.
	compileBase = 4 * time.Microsecond
	compileByte = 100 * time.Nanosecond
)

// Limits bounds an expression.
type Limits struct {
	// Bytes is the longest expression.
	Bytes int
	// Declared is how many top-level tests are matched against it.
	Declared int
	// Whole selects the outermost test of each name.
	Whole bool
}

// Part is one expression and what it selects.
type Part struct {
	Expr string
	Tops []Top
}

// Top is a top-level test of an expression.
type Top struct {
	Name string
	// Whole reports whether all of the test is selected, not only subtests of it.
	Whole bool
	// Requested are the names that asked for it.
	Requested []string
}

// Widened reports whether the test is selected although only subtests of it were
// requested.
func (t Top) Widened() bool {
	if !t.Whole {
		return false
	}
	for _, name := range t.Requested {
		if name == t.Name {
			return false
		}
	}
	return true
}

// Inside reports whether the expression selects a part of a test.
func (p Part) Inside() bool {
	for _, top := range p.Tops {
		if !top.Whole {
			return true
		}
	}
	return false
}

// Widened reports whether more is selected than was requested.
func (p Part) Widened() bool {
	for _, top := range p.Tops {
		if top.Widened() {
			return true
		}
	}
	return false
}

// Compose returns the expressions for names as they appear in results. All but enormous
// requests need only one.
func Compose(names []string, limits Limits) []Part {
	tops := groupByTop(names, limits.Whole)
	inside := selectSubtests(tops)
	if len(inside.alternatives) > 0 && isTooCostly(tops, inside, limits) {
		for i := range tops {
			tops[i].Whole = true
		}
		inside = selection{}
	}
	return packParts(tops, inside, limits.Bytes)
}

// groupByTop collects the names by their outermost element, in order.
func groupByTop(names []string, whole bool) []Top {
	index := make(map[string]int, len(names))
	tops := make([]Top, 0, len(names))
	for i, name := range names {
		outermost, _, isLeaf := strings.Cut(name, "/")
		at, known := index[outermost]
		if !known {
			at = len(tops)
			index[outermost] = at
			tops = append(tops, Top{Name: outermost, Requested: names[i : i : i+1]})
		}
		tops[at].Whole = tops[at].Whole || whole || !isLeaf || len(name) > maxName
		tops[at].Requested = append(tops[at].Requested, name)
	}
	return tops
}

// isTooCostly reports whether selecting inside of tests would take package testing too
// long, or the expression too much room.
func isTooCostly(tops []Top, inside selection, limits Limits) bool {
	alternatives, bytes := len(inside.alternatives), inside.firsts
	for _, top := range tops {
		if top.Whole {
			bytes += len(top.Name)
		}
	}
	if len(tops) > alternatives {
		alternatives++ // the group of whole tests
	}
	if alternatives == 1 {
		alternatives, bytes = 0, 0 // it is compiled once
	}
	churn := time.Duration(limits.Declared) * (time.Duration(alternatives)*compileBase + time.Duration(bytes)*compileByte)
	return inside.leaves > maxLeaves || inside.bytes > limits.Bytes/2 || churn > maxCompileTime
}

// packParts fills expressions up to the limit: the first takes everything inside of tests,
// and all of them take whole tests.
func packParts(tops []Top, inside selection, limit int) []Part {
	var parts []Part
	expr := strings.Join(inside.alternatives, "|")
	// One part with everything is by far the most common.
	current := Part{Tops: make([]Top, 0, len(tops))}
	plain := make([]string, 0, len(tops))
	bytes := len(expr)
	flush := func() {
		if group := alternateNames(plain); group != "" && expr != "" {
			expr = group + "|" + expr
		} else {
			expr += group
		}
		current.Expr = expr
		parts = append(parts, current)
		expr, current, plain, bytes = "", Part{}, nil, 0
	}
	for _, top := range tops {
		if !top.Whole {
			current.Tops = append(current.Tops, top)
		}
	}
	for _, top := range tops {
		if !top.Whole {
			continue
		}
		quoted := regexp.QuoteMeta(top.Name)
		if bytes+len(quoted)+len("^()$|") > limit && len(current.Tops) > 0 {
			flush()
		}
		bytes += len(quoted) + len("|")
		plain = append(plain, quoted)
		current.Tops = append(current.Tops, top)
	}
	if len(current.Tops) > 0 {
		flush()
	}
	return parts
}
