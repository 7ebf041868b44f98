package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// maxCoverageSuites is how many suites the line about coverage names.
const maxCoverageSuites = 5

// coverageLine says in one line how much the tests of a run executed; empty if it was
// not measured.
func coverageLine(c *api.Coverage) string {
	if c == nil {
		return ""
	}
	if c.Statements == 0 {
		return "coverage: there are no statements to measure"
	}
	line := fmt.Sprintf("coverage: %s of statements (%d of %d)", percentage(c.Percent), c.Covered, c.Statements)
	if len(c.Suites) > 1 {
		shared := sharedPath(c.Suites)
		line += ": " + prose.Listed(c.Suites, len(c.Suites), maxCoverageSuites, func(s api.SuiteCoverage) string {
			short := strings.TrimPrefix(s.Suite[min(len(shared), len(s.Suite)):], "/")
			if short == "" {
				short = s.Suite[strings.LastIndexByte(s.Suite, '/')+1:]
			}
			if s.Statements == 0 {
				return prose.Line(short) + " has none"
			}
			return prose.Line(short) + " " + percentage(s.Percent)
		})
	}
	why := ""
	if c.NotIndexed != "" {
		why = ": " + prose.Line(c.NotIndexed)
	}
	switch {
	case !c.Indexed:
		return line + "; it is not recorded" + why
	case why != "":
		return line + "; from now on it shows which suites execute a line, but not for all" + why
	}
	return line + "; from now on it shows which suites execute a line"
}

// percentage never rounds to 0 or 100.
func percentage(p float64) string {
	switch {
	case p > 99.9 && p < 100:
		return ">99.9%"
	case p > 0 && p < 0.1:
		return "<0.1%"
	}
	return fmt.Sprintf("%.1f%%", p)
}

// sharedPath returns the longest path above all suites.
func sharedPath(suites []api.SuiteCoverage) string {
	shared := suites[0].Suite
	for _, s := range suites[1:] {
		for shared != "" && s.Suite != shared && !strings.HasPrefix(s.Suite, shared+"/") {
			shared = shared[:max(strings.LastIndexByte(shared, '/'), 0)]
		}
	}
	return shared
}
