package render

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestTheLineAboutCoverageNamesTheSuites(t *testing.T) {
	suite := func(name string, statements, covered int, percent float64) api.SuiteCoverage {
		return api.SuiteCoverage{Suite: name, Statements: statements, Covered: covered, Percent: percent}
	}
	const some = "; it is not recorded"
	for want, c := range map[string]api.Coverage{
		"coverage: 85.2% of statements (852 of 1000): m 50.0%, json 91.0%, cmd/x has none; from now on it shows which suites execute a line": {
			Statements: 1000, Covered: 852, Percent: 85.2, Indexed: true,
			Suites: []api.SuiteCoverage{suite("example.com/m", 10, 5, 50), suite("example.com/m/json", 100, 91, 91), suite("example.com/m/cmd/x", 0, 0, 0)},
		},
		"coverage: <0.1% of statements (1 of 9000)" + some:     {Statements: 9000, Covered: 1, Percent: 100.0 / 9000, Suites: []api.SuiteCoverage{suite("m", 9000, 1, 0.01)}},
		"coverage: >99.9% of statements (8999 of 9000)" + some: {Statements: 9000, Covered: 8999, Percent: 100 * 8999.0 / 9000},
		"coverage: 100.0% of statements (2 of 2): a 100.0%, b\\n 100.0%, c 0.0%, d 0.0%, e 0.0% and 1 more" + some: {Statements: 2, Covered: 2, Percent: 100,
			Suites: []api.SuiteCoverage{suite("a", 1, 1, 100), suite("b\n", 1, 1, 100), suite("c", 1, 0, 0), suite("d", 1, 0, 0), suite("e", 1, 0, 0), suite("f", 1, 0, 0)}},
		"coverage: 50.0% of statements (1 of 2); it is not recorded: of some\\n tests": {Statements: 2, Covered: 1, Percent: 50, NotIndexed: "of some\n tests"},
		"coverage: 50.0% of statements (1 of 2); from now on it shows which suites execute a line, but not for all: m/a: it changed": {
			Statements: 2, Covered: 1, Percent: 50, Indexed: true, NotIndexed: "m/a: it changed",
		},
		"coverage: there are no statements to measure": {},
	} {
		if got := coverageLine(&c); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := coverageLine(nil); got != "" {
		t.Errorf("a run without coverage says %q", got)
	}
}
