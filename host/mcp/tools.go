package mcp

import (
	"slices"
	"strings"
)

// tools are all tools, in the order of their names, in which the SDK lists them.
func tools() []tool {
	all := []tool{
		runTests(), runFailingTests(), lastTestFailures(), getRun(), cancelRun(), getTestOutput(),
		whyFailing(), triageFailures(), testHistory(), testsCovering(), listTests(), workspaceInfo(),
	}
	slices.SortFunc(all, func(a, b tool) int { return strings.Compare(a.name, b.name) })
	return all
}
