package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestListTestsPagesThroughAWorkspace(t *testing.T) {
	t.Parallel()
	var want []string
	var long strings.Builder
	long.WriteString("package a\n\nimport \"testing\"\n\n")
	for n := range 400 {
		name := fmt.Sprintf("Test%s%04d", strings.Repeat("Long", 10), n)
		fmt.Fprintf(&long, "func %s(t *testing.T) { panic(1) }\n", name)
		want = append(want, name)
	}
	c := newSite(t, files{"a/a_test.go": long.String()}).connect(t)
	var got []string
	for pages, cursor := 0, ""; ; pages++ {
		r := c.call(t, "list_tests", map[string]any{"limit": "2000", "cursor": cursor})
		var l listedTests
		r.into(t, &l)
		if r.failed || !l.Complete || l.Total != 400 || l.Suites[0].Suite != "example.com/m/a" || l.Suites[0].Tests[0].File != "a/a_test.go" {
			t.Fatalf("%q %.300s", r.texts[0], r.raw)
		}
		r.says(t, "400 tests in 1 suite (go)", false)
		for _, one := range l.Suites[0].Tests {
			got = append(got, one.Test)
			if !strings.Contains(r.text(), "\n   "+one.Test+"  a/a_test.go:") {
				t.Errorf("the text lacks %s", one.Test)
			}
		}
		if cursor = l.NextCursor; cursor == "" {
			break
		}
		if !strings.Contains(r.text(), `{"cursor":"`+cursor+`"}`) || pages > 9 {
			t.Fatalf("page %d does not say how to go on", pages)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the pages have %d tests", len(got))
	}
	r := c.call(t, "list_tests", map[string]any{"cursor": "x"})
	if !r.failed || r.str("code") != codeInvalidRequest || !strings.Contains(r.text(), `the cursor "x" is not of this listing`) {
		t.Errorf("a cursor that was made up: %q", r.texts)
	}
}

func TestListTestsNeverPresentsAPartAsTheWhole(t *testing.T) {
	t.Parallel()
	c := newSite(t, files{"a/a_test.go": "package a\n\nfunc TestA(t *T) {}\n", "b/b_test.go": "<<<<<<< HEAD\n"}).connect(t)
	r := c.call(t, "list_tests", nil)
	r.says(t, "INCOMPLETE: not every test could be listed; found: 1 test in 1 suite (go)", false)
	if r.object["complete"] != false || !strings.Contains(r.text(), "\nWhy, in the words of the plugin and its tools:\n   example.com/m/b cannot be listed: ") {
		t.Errorf("%q", r.texts)
	}
	c.call(t, "list_tests", map[string]any{"filter": "^Nothing$", "packages": "./a"}).says(t, "no test is selected (go)", false)
}

func TestListTestsSaysWhichLanguagesThereAre(t *testing.T) {
	t.Parallel()
	c := newSite(t, files{"a_test.go": "package a\n"}, withPlugin(t, fakeOther)).connect(t)
	if r := c.call(t, "list_tests", nil); !r.failed || !strings.Contains(r.text(), "several languages are detected: go, other; name the language with the argument language") {
		t.Errorf("%q", r.texts)
	}
	if r := c.call(t, "list_tests", map[string]any{"language": fakeOther}); !r.failed || !strings.Contains(r.text(), "plugin other 1.0.0 cannot list the tests of other") {
		t.Errorf("%q", r.texts)
	}
	c.call(t, "list_tests", map[string]any{"language": "go"}).says(t, "there are no tests (go)", false)
}
