package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
)

var ample = pattern.Limits{Bytes: 100_000, Declared: 100}

func TestComposeWritesTheExpression(t *testing.T) {
	for _, test := range []struct {
		name  string
		names []string
		want  string
	}{
		{"one", []string{"TestA"}, `^TestA$`},
		{"the seed's group", []string{"TestAlpha", "TestBeta", "TestGamma"}, `^(TestAlpha|TestBeta|TestGamma)$`},
		{"twice", []string{"TestA", "TestA"}, `^TestA$`},
		{"leaf", []string{"TestA/x"}, `^TestA$/^x$`},
		{"siblings", []string{"TestA/x", "TestA/y"}, `^TestA$/^(x|y)$`},
		{"two parents", []string{"TestA/x", "TestB/y"}, `^TestA$/^x$|^TestB$/^y$`},
		{"deep", []string{"TestA/g/x", "TestA/g/y", "TestA/h"}, `^TestA$/^g$/^(x|y)$|^TestA$/^h$`},
		{"mixed", []string{"TestC", "TestA/x", "TestB"}, `^(TestC|TestB)$|^TestA$/^x$`},
		{"a test and its subtest", []string{"TestA/x", "TestA"}, `^TestA$`},
		{"a subtest and one inside it", []string{"TestA/g/x", "TestA/g"}, `^TestA$/^g$`},
		{"quoted", []string{"TestA/a|b(c)[d]#01"}, `^TestA$/^a\|b\(c\)\[d\]#01$`},
		{"escaped by package testing", []string{`TestA/\x00_\u200b`}, `^TestA$/^\\x00_\\u200b$`},
		{"fuzz seed", []string{"FuzzX/seed#1"}, `^FuzzX$/^seed#1$`},
		{"empty element", []string{"TestA/b/"}, `^TestA$/^b$/^$`},
	} {
		t.Run(test.name, func(t *testing.T) {
			parts := pattern.Compose(test.names, ample)
			if len(parts) != 1 {
				t.Fatalf("%d parts, want 1", len(parts))
			}
			if parts[0].Expr != test.want {
				t.Errorf("expression is %s\n               want %s", parts[0].Expr, test.want)
			}
			if inside := strings.Contains(test.want, "/"); parts[0].Inside() != inside {
				t.Errorf("Inside is %v, want %v", parts[0].Inside(), inside)
			}
			if parts[0].Widened() {
				t.Error("nothing was widened")
			}
		})
	}
}

func TestComposeRunsTheParentsOfManySubtests(t *testing.T) {
	names := []string{"TestOther/x"}
	for i := range 60 {
		names = append(names, fmt.Sprintf("TestTable/row%d", i))
	}
	parts := pattern.Compose(names, ample)
	if len(parts) != 1 || parts[0].Expr != "^(TestOther|TestTable)$" {
		t.Fatalf("parts are %+v", parts)
	}
	if !parts[0].Widened() || parts[0].Inside() {
		t.Error("the part does not say that it is wider than requested")
	}
	if got := len(parts[0].Tops[1].Requested); got != 60 {
		t.Errorf("%d requested names are accounted for, want 60", got)
	}
}

func TestComposeRunsTheParentsWhereAlternationIsSlow(t *testing.T) {
	names := []string{"TestTable/row"}
	for i := range 500 {
		names = append(names, fmt.Sprintf("TestNumber%d", i))
	}
	if parts := pattern.Compose(names, pattern.Limits{Bytes: 100_000, Declared: 600}); parts[0].Widened() {
		t.Error("with 600 tests a subtest beside a group is not selected exactly")
	}
	if parts := pattern.Compose(names, pattern.Limits{Bytes: 100_000, Declared: 10_000}); !parts[0].Widened() {
		t.Error("with 10,000 tests, each of which compiles the group again, a subtest is selected")
	}
	if parts := pattern.Compose(names[:1], pattern.Limits{Bytes: 100_000, Declared: 10_000_000}); parts[0].Widened() {
		t.Error("a single alternative is avoided, although it is compiled once")
	}
}

func TestComposeKeepsEveryExpressionBelowTheLimit(t *testing.T) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("TestNumber%d", i))
	}
	names = append(names, "TestTable/"+strings.Repeat("x", 300), "TestOther/"+strings.Repeat("(", 1000))
	parts := pattern.Compose(names, pattern.Limits{Bytes: 1000, Declared: 1})
	requested := 0
	for _, part := range parts {
		if len(part.Expr) > 1000 {
			t.Errorf("an expression has %d bytes", len(part.Expr))
		}
		for _, top := range part.Tops {
			requested += len(top.Requested)
			if !matchesName(part.Expr, top.Requested[0]) {
				t.Errorf("%s is not selected by its part", top.Requested[0])
			}
		}
	}
	if requested != len(names) {
		t.Errorf("%d of %d names are accounted for", requested, len(names))
	}
}

func TestComposeWidensOnDemand(t *testing.T) {
	parts := pattern.Compose([]string{"TestA/x", "TestB", "TestA/y"}, pattern.Limits{Bytes: 1000, Whole: true})
	if len(parts) != 1 || parts[0].Expr != "^(TestA|TestB)$" {
		t.Errorf("parts are %+v", parts)
	}
}

func TestComposeRunsTheParentOfANameThatMayHaveBeenCut(t *testing.T) {
	parts := pattern.Compose([]string{"TestA/" + strings.Repeat("x", 8000)}, ample)
	if len(parts) != 1 || parts[0].Expr != "^TestA$" || !parts[0].Widened() {
		t.Errorf("parts are %+v", parts)
	}
}

func TestComposeSelectsExactlyWhatWasAsked(t *testing.T) {
	elements := []string{"a", "b", "a|b", "(", ")", "[x]", "a.b", "^", "$", `\x00`, "#00", "a#01", "", "*", "ä", "a_b", "c"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		universe := map[string]bool{}
		for range 60 {
			name := fmt.Sprintf("Test%c", 'A'+random.IntN(6))
			universe[name] = true
			for range random.IntN(4) {
				name += "/" + elements[random.IntN(len(elements))]
				universe[name] = true
			}
		}
		var names []string
		for name := range universe {
			if random.IntN(8) == 0 {
				names = append(names, name)
			}
		}
		if len(names) == 0 || len(names) > 40 {
			continue
		}
		slices.Sort(names)
		parts := pattern.Compose(names, ample)
		if len(parts) != 1 || parts[0].Widened() {
			t.Fatalf("want one exact part for %q: %+v", names, parts)
		}
		for name := range universe {
			if got, want := matchesName(parts[0].Expr, name), mustRun(names, name); got != want {
				t.Fatalf("%s selects %q: %v, want %v; requested %q", parts[0].Expr, name, got, want, names)
			}
		}
	}
}

// mustRun reports whether a test must run: it was requested, or a test that contains it
// or one inside it was.
func mustRun(requested []string, name string) bool {
	return slices.ContainsFunc(requested, func(r string) bool {
		return r == name || strings.HasPrefix(name, r+"/") || strings.HasPrefix(r, name+"/")
	})
}

// matchesName implements package testing's rule, for expressions without | or / inside of
// brackets: it matches each element of a name against the element of each alternative.
func matchesName(expr, name string) bool {
	path := strings.Split(name, "/")
	for _, alternative := range splitOutside(expr, '|') {
		elements := splitOutside(alternative, '/')
		all := true
		for i := range min(len(path), len(elements)) {
			all = all && regexp.MustCompile(elements[i]).MatchString(path[i])
		}
		if all {
			return true
		}
	}
	return false
}

// splitOutside splits at a byte outside of parentheses that is not escaped.
func splitOutside(expr string, at byte) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(expr); i++ {
		switch {
		case expr[i] == '\\':
			i++
		case expr[i] == '(':
			depth++
		case expr[i] == ')':
			depth--
		case expr[i] == at && depth == 0:
			parts = append(parts, expr[start:i])
			start = i + 1
		}
	}
	return append(parts, expr[start:])
}

func TestComposeAccountsForEveryName(t *testing.T) {
	names := []string{"TestB/x", "TestA", "TestB/y", "TestA"}
	got := map[string][]string{}
	for _, part := range pattern.Compose(names, ample) {
		for _, top := range part.Tops {
			got[top.Name] = append(got[top.Name], top.Requested...)
		}
	}
	want := map[string][]string{"TestA": {"TestA", "TestA"}, "TestB": {"TestB/x", "TestB/y"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requested names differ (-want +got):\n%s", diff)
	}
}
