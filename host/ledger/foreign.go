package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// Bounds on runs that were recorded elsewhere, in bytes: the name of a test, the name of
// a file (no system opens longer ones), any other word; and a duration in seconds.
const (
	MaxForeignName    = 64 << 10
	MaxForeignFile    = 4 << 10
	MaxForeignWord    = 1024
	MaxForeignSeconds = 10 * 365 * 24 * 3600
)

// languageWord matches the languages of plugins.
var languageWord = lazyregexp.New(`^[a-z][a-z0-9+#.-]*$`)

var (
	foreignVerdicts = []api.Verdict{api.Passed, api.Failed, api.BuildFailed, api.Incomplete, api.NothingRan, api.ToolError}
	foreignKinds    = []api.Kind{api.KindRun, api.KindRerun, api.KindParsed, api.KindIngest, api.KindTriage, api.KindRetry, api.KindMerge}
)

// CheckForeign validates the object of a run that was made elsewhere, without its lists
// of results and failures. now is the time here.
func CheckForeign(run api.Run, now time.Time) error {
	id := run.RunID
	switch {
	case run.Schema != api.Schema:
		return fmt.Errorf("run %s has the schema %q and not %s", id, Excerpt(run.Schema), api.Schema)
	case run.State != api.StateFinished:
		return fmt.Errorf("run %s is not finished", id)
	case !slices.Contains(foreignVerdicts, run.Verdict):
		return fmt.Errorf("run %s has an unknown verdict %q", id, Excerpt(string(run.Verdict)))
	case !slices.Contains(foreignKinds, run.Kind):
		return fmt.Errorf("run %s has an unknown kind %q", id, Excerpt(string(run.Kind)))
	case !languageWord.MatchString(run.Language) || len(run.Language) > MaxForeignWord || len(run.SessionID) > MaxForeignWord ||
		len(run.Environment) > MaxForeignWord || len(run.Seed) > MaxForeignWord:
		return fmt.Errorf("run %s has an invalid or too long language, session, environment or seed", id)
	case len(run.Unfinished) > api.MaxNames || len(run.NeverStarted) > api.MaxNames:
		return fmt.Errorf("run %s lists more than %d unfinished or never started tests", id, api.MaxNames)
	case !(run.DurationS >= 0 && run.DurationS <= MaxForeignSeconds) || !IsPossibleTime(run.StartedAt, now, maxImportAhead) ||
		!IsPossibleTime(run.StartedAt.Add(time.Duration(run.DurationS*float64(time.Second))), now, maxImportAhead):
		return fmt.Errorf("run %s has an impossible start time or duration", id)
	case hasNegative(run.Counts) || run.FailuresTotal < 0 || run.Outstanding < 0 || run.Quarantined < 0:
		return fmt.Errorf("run %s has a negative count", id)
	}
	if s := run.Source; s != nil && s.Fingerprint != "" && !IsStateID(s.Fingerprint) {
		return fmt.Errorf("run %s has an invalid source state %q", id, Excerpt(s.Fingerprint))
	}
	return nil
}

func hasNegative(c api.Counts) bool {
	return min(c.Suites, c.SuitesWithoutTests, c.Tests, c.TestsPassed, c.TestsSkipped, c.Subtests, c.Repeats, c.TestsCached, c.Cached, c.Passed, c.Failed, c.Skipped, c.Unfinished, c.NeverStarted, c.BuildFailed, c.Flaky) < 0 || c.ParseSkippedBytes < 0
}

var errForeignName = errors.New("a name is too long, or a line number is negative")

// CheckForeignResult checks a result that was recorded elsewhere.
func CheckForeignResult(r api.Result) error {
	switch {
	case max(len(r.Suite), len(r.Test), len(r.Root)) > MaxForeignName || len(r.File) > MaxForeignFile || r.Line < 0:
		return errForeignName
	case !(r.DurationS >= 0 && r.DurationS <= MaxForeignSeconds):
		return errors.New("a duration is negative or longer than ten years")
	}
	return nil
}

// CheckForeignFailure checks a failure that was recorded elsewhere.
func CheckForeignFailure(f api.Failure) error {
	if max(len(f.Suite), len(f.Test)) > MaxForeignName || len(f.File) > MaxForeignFile || f.Line < 0 {
		return errForeignName
	}
	return nil
}

// maxStateID is longer than any id of a source state.
const maxStateID = 64

// IsStateID reports whether a word can be the id of a source state or a signature. Both
// become parts of file names.
func IsStateID(id string) bool {
	return id != "" && len(id) <= maxStateID && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
