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
		for _, got := range []string{InWords(c.sentence, c.noun), InWordsButNames(c.sentence, c.noun)} {
			if got != c.want {
				t.Errorf("%q: %q, want %q", c.sentence, got, c.want)
			}
		}
	}
	for _, named := range []string{
		"not tested: suite: a module; test it with `proctor run -C suite`", "1 test changed since suite",
	} {
		if got := InWordsButNames(named, "package"); got != named {
			t.Errorf("%q: %q", named, got)
		}
	}
}
