package host

import (
	"fmt"
	"slices"
	"strings"

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

// maxOtherwise is how many tests a note about a pass with other arguments names.
const maxOtherwise = 5

// otherwiseNotes say of tests that left the outstanding set that they passed with other
// runner arguments than those with which they were red.
func otherwiseNotes(passed map[string][]record.Test, now []string) []string {
	var notes []string
	for _, key := range sortedKeys(passed) {
		tests := passed[key]
		names := make([]string, 0, maxOtherwise)
		for _, t := range tests[:min(len(tests), maxOtherwise)] {
			names = append(names, report.QualifiedName(t.Suite, t.Test))
		}
		list := strings.Join(names, ", ")
		if more := len(tests) - len(names); more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		count, verb := "1 test", "is"
		if len(tests) > 1 {
			count, verb = fmt.Sprintf("%d tests", len(tests)), "are"
		}
		with, without, again := "without runner arguments", "without them", "proctor run"
		if key != "" {
			line := report.ShellLine(words(key))
			with, again = "with runner arguments "+line, "proctor run -- "+line
		}
		if len(now) > 0 {
			without = "with " + report.ShellLine(now)
		}
		notes = append(notes, fmt.Sprintf("%s%s came in %s, passed %s, and %s no longer outstanding: %s; ask as before with: %s", report.PassedOtherwise, count, with, without, verb, list, again))
	}
	return notes
}
