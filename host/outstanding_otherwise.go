package host

import (
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// slipFix is what to do about a suite that a rerun could not set up: it may never have
// been one. Empty where there is none.
func slipFix(run record.Run, requested []rerun.Target) string {
	for _, failure := range run.Failures {
		whole := func(t rerun.Target) bool { return t.Test == record.Test{Suite: failure.Suite} && t.Suite != "" }
		if failure.Kind == sdk.KindSetup && slices.ContainsFunc(requested, whole) {
			return fmt.Sprintf("`proctor outstanding --drop %s` takes this suite off if it was a slip", report.ShellLine([]string{failure.Suite}))
		}
	}
	return ""
}
