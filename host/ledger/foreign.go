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

// The bounds of what comes from elsewhere: the name of a test, that of a file, as no system
// opens longer ones, the other words of a run's object, and a duration in seconds.
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

// CheckForeign checks the object of a run that was made elsewhere, besides its lists of
// results and failures. now is the time here.
func CheckForeign(run api.Run, now time.Time) error {
	id := run.RunID
	switch {
	case run.Schema != api.Schema:
		return fmt.Errorf("run %s is a %q and not a %s", id, Excerpt(run.Schema), api.Schema)
	case run.State != api.StateFinished:
		return fmt.Errorf("run %s has no end", id)
	case !slices.Contains(foreignVerdicts, run.Verdict):
		return fmt.Errorf("the verdict %q of run %s is not known", Excerpt(string(run.Verdict)), id)
	case !slices.Contains(foreignKinds, run.Kind):
		return fmt.Errorf("the kind %q of run %s is not known", Excerpt(string(run.Kind)), id)
	case !languageWord.MatchString(run.Language) || len(run.Language) > MaxForeignWord || len(run.SessionID) > MaxForeignWord ||
		len(run.Environment) > MaxForeignWord || len(run.Seed) > MaxForeignWord:
		return fmt.Errorf("the language, session, environment or seed of run %s is none, or too long", id)
	case len(run.Unfinished) > api.MaxNames || len(run.NeverStarted) > api.MaxNames:
		return fmt.Errorf("run %s lists more than a run does", id)
	case !(run.DurationS >= 0 && run.DurationS <= MaxForeignSeconds) || !TookPlace(run.StartedAt, now, MaxImportAhead) ||
		!TookPlace(run.StartedAt.Add(time.Duration(run.DurationS*float64(time.Second))), now, MaxImportAhead):
		return fmt.Errorf("run %s took place at no possible time", id)
	case hasNegative(run.Counts) || run.FailuresTotal < 0 || run.Outstanding < 0 || run.Quarantined < 0:
		return fmt.Errorf("run %s counts less than nothing", id)
	}
	if s := run.Source; s != nil && s.Fingerprint != "" && !IsStateID(s.Fingerprint) {
		return fmt.Errorf("the source state %q of run %s is none", Excerpt(s.Fingerprint), id)
	}
	return nil
}

func hasNegative(c api.Counts) bool {
	return min(c.Suites, c.SuitesWithoutTests, c.Tests, c.TestsPassed, c.TestsSkipped, c.Subtests, c.Repeats, c.TestsCached, c.Cached, c.Passed, c.Failed, c.Skipped, c.Unfinished, c.NeverStarted, c.BuildFailed, c.Flaky) < 0 || c.ParseSkippedBytes < 0
}

var errForeignName = errors.New("a name is too long, or a line less than nothing")

// CheckForeignResult checks a result that was recorded elsewhere.
func CheckForeignResult(r api.Result) error {
	switch {
	case max(len(r.Suite), len(r.Test), len(r.Root)) > MaxForeignName || len(r.File) > MaxForeignFile || r.Line < 0:
		return errForeignName
	case !(r.DurationS >= 0 && r.DurationS <= MaxForeignSeconds):
		return errors.New("a duration is less than nothing, or too much of it")
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

// IsStateID reports whether a word can be the id of a source state, or a signature: they
// become parts of the names of files.
func IsStateID(id string) bool {
	return id != "" && len(id) <= maxStateID && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
