package pattern_test

import (
	"testing"

	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
)

func TestFilterSelectsTopLevelTestsAsGoTestDoes(t *testing.T) {
	for _, test := range []struct {
		expr, name string
		selects    bool
	}{
		{"", "TestA", true},
		{"A", "TestA", true},
		{"^A", "TestA", false},
		{"TestA|TestB", "TestB", true},
		{"^(TestA|TestB)$", "TestB", true},
		{"TestA/x", "TestA", true},
		{"TestA/x|TestB", "TestB", true},
		{"TestA/x|TestB", "TestC", false},
		{"/x", "TestA", true},
		{"Test[/|]", "TestA", false},
		{"Test[A|]", "TestA", true},
		{`Test\|`, "TestA", false},
		{"Test A", "Test_A", true},
		{"Test]A", "Test]A", true},
	} {
		filter, err := pattern.Parse(test.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := filter.Selects(test.name); got != test.selects {
			t.Errorf("%q selects %s: %v, want %v", test.expr, test.name, got, test.selects)
		}
	}
}

func TestFilterSkipsOnlyWholeTests(t *testing.T) {
	filter, err := pattern.Parse("TestA/x|^TestB$")
	if err != nil {
		t.Fatal(err)
	}
	if filter.Skips("TestA") || !filter.Skips("TestB") {
		t.Error("TestA must lose only a subtest, and TestB must be skipped")
	}
}

func TestParseRejectsWhatGoTestRejects(t *testing.T) {
	for _, expr := range []string{"(", "a)", "a/[", "*"} {
		if _, err := pattern.Parse(expr); err == nil {
			t.Errorf("%q is not a regular expression but was accepted", expr)
		}
	}
}

func TestInsideLooksForElementsOutsideOfBrackets(t *testing.T) {
	for expr, want := range map[string]bool{
		"TestA": false, "TestA/x": true, "[/]": false, "(a/b)": false, `a\/b`: false, "a|b/c": true, "": false,
	} {
		if got := pattern.Inside(expr); got != want {
			t.Errorf("Inside(%q) is %v, want %v", expr, got, want)
		}
	}
}

func FuzzParseNeverPanics(f *testing.F) {
	f.Add("^(TestA|TestB)$/^x$", "TestA")
	f.Add(`[\`, "")
	f.Fuzz(func(t *testing.T, expr, name string) {
		filter, err := pattern.Parse(expr)
		if err != nil {
			return
		}
		if filter.Skips(name) && !filter.Selects(name) {
			t.Errorf("%q skips %q but does not select it", expr, name)
		}
	})
}
