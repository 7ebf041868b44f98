package prose

import "testing"

func TestASuiteIsCalledWhatItsLanguageCallsIt(t *testing.T) {
	for _, c := range []struct{ sentence, noun, want string }{
		{"1 suite is only built; 2 suites, too", "package", "1 package is only built; 2 packages, too"},
		{"the suite's tests ran with the suite.", "package", "the package's tests ran with the package."},
		{"suite", "package", "package"},
		{"--suite-budget, x/suite, suite/a.go, suite.go, TestSuite, suite_a", "package", "--suite-budget, x/suite, suite/a.go, suite.go, TestSuite, suite_a"},
		{"the suite ended", "", "the suite ended"},
	} {
		if got := InWords(c.sentence, c.noun); got != c.want {
			t.Errorf("%q: %q, want %q", c.sentence, got, c.want)
		}
	}
}
