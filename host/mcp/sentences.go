package mcp

import (
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// The sentences of the tools that the specification fixes word for word.

// noRunYet answers questions about the session's last run before there is one.
const noRunYet = "no run_tests call yet in this session"

// nothingToRerun answers a rerun when nothing is outstanding.
func nothingToRerun(language string) string {
	return fmt.Sprintf("last run_tests had no failures — nothing to rerun (%s)", prose.Line(language))
}

// noStructuredFailures answers for a language whose plugin cannot say what failed.
func noStructuredFailures(language string, age time.Duration) string {
	return fmt.Sprintf("no structured failures available for %s (last run_tests %s ago)", prose.Line(language), prose.Duration(age))
}

// lastHadNoFailures answers for a last run that passed.
func lastHadNoFailures(passed int, language string, age time.Duration) string {
	return fmt.Sprintf("last run_tests had no failures (%d tests passed, %s, %s ago)", passed, prose.Line(language), prose.Duration(age))
}

// rerunUnsupported answers a rerun for a language that cannot be rerun.
func rerunUnsupported(language string) string {
	return fmt.Sprintf("run_failing_tests: %s detector has no structured failures; rerun run_tests manually", prose.Line(language))
}
