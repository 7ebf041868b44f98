package cli

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/sdk"
)

// The plugin composes the same for a part of a test and for the whole.
func TestWhatRanWholeIsNotRunAgainWhereAPartOfItFailed(t *testing.T) {
	t.Parallel()
	part := sdk.TestID{Suite: "s", Test: "T/part"}
	report := fakeplugin.Report{
		Tests:    []sdk.TestResult{{TestID: part, Status: sdk.Failed, Root: "T"}},
		Failures: []sdk.Failure{{TestID: part, Kind: "assertion", Message: "wrong"}},
	}
	w := newModule(t, files{fakeplugin.ReportFile: report.Encode()})
	plugin := []string{"--lang", fakeMeasured, "--plugin", fakeMeasured + "=" + fakePlugin(t, fakeMeasured)}
	for _, call := range []string{"run", "rerun"} {
		run, r := w.object(append([]string{call}, plugin...)...)
		if run.Verdict != api.Failed || r.code != 1 || run.Outstanding != 1 || len(run.Commands) != 1 {
			t.Errorf("%s: %s, exit %d, %d outstanding, %d commands\n%s", call, run.Verdict, r.code, run.Outstanding, len(run.Commands), r.stdout+r.stderr)
		}
		if got := requestedText(run); call == "rerun" && got != "s T/part: failed" {
			t.Errorf("requested %q", got)
		}
	}
}
