package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// arrival is a run that was read from an archive.
type arrival struct {
	object api.Run
	whole  bool
	// count is how many results the header promises.
	count int
	// seen are the files of it that came, spool has its results.
	seen  map[string]bool
	spool *os.File
	// bad says what of it failed, by each of its parts.
	bad contradiction
	// accord compares its parts.
	accord accord
}

// check looks at a run as a whole, after all of its files have come.
func (a *arrival) check() error {
	for _, name := range []string{artifacts.ObjectName, artifacts.ResultsName, artifacts.FailuresName, archiveHistory} {
		if !a.seen[name] {
			return fmt.Errorf("run %s has no %s", a.object.RunID, name)
		}
	}
	if what := a.bad.String(); a.object.Verdict == api.Passed && what != "" {
		return fmt.Errorf("run %s says that it passed, and has %s", a.object.RunID, what)
	}
	return a.accord.check(a.object)
}

// contradiction counts what speaks against a pass: failures, and tests that ended
// badly, as the parts of a run tell them.
type contradiction struct{ failures, announced, results, counted, points int }

// String names it by the part that tells most of it; empty is nothing. What two parts
// say is not added up: it is the same.
func (c contradiction) String() string {
	if n := max(c.failures, c.announced); n > 0 {
		return api.Plural(n, "failure")
	}
	if n := max(c.results, c.counted, c.points); n > 0 {
		return api.Plural(n, "test") + " that failed, did not finish or did not build"
	}
	return ""
}

// adopt makes the object of a foreign run one of this record.
func (a *arrival) adopt(run api.Run, origin string, now time.Time) error {
	id := a.object.RunID
	switch {
	case run.Schema != api.Schema:
		return fmt.Errorf("run %s is a %q and not a %s", id, ledger.Excerpt(run.Schema), api.Schema)
	case run.RunID != id:
		return fmt.Errorf("run %s calls itself %q", id, ledger.Excerpt(run.RunID))
	case run.State != api.StateFinished:
		return fmt.Errorf("run %s has no end", id)
	case !slices.Contains(verdicts, run.Verdict):
		return fmt.Errorf("the verdict %q of run %s is not known", ledger.Excerpt(string(run.Verdict)), id)
	case !slices.Contains(kinds, run.Kind):
		return fmt.Errorf("the kind %q of run %s is not known", ledger.Excerpt(string(run.Kind)), id)
	case !languageWord.MatchString(run.Language) || len(run.Language) > maxArchiveWord || len(run.SessionID) > maxArchiveWord ||
		len(run.Environment) > maxArchiveWord || len(run.Seed) > maxArchiveWord:
		return fmt.Errorf("the language, session, environment or seed of run %s is none, or too long", id)
	case len(run.Failures) > api.MaxFailures || len(run.Unfinished) > api.MaxNames || len(run.NeverStarted) > api.MaxNames:
		return fmt.Errorf("run %s lists more than a run does", id)
	case !(run.DurationS >= 0 && run.DurationS <= maxArchiveSeconds) || !ledger.TookPlace(run.StartedAt, now, ledger.MaxImportAhead) ||
		!ledger.TookPlace(run.StartedAt.Add(time.Duration(run.DurationS*float64(time.Second))), now, ledger.MaxImportAhead):
		return fmt.Errorf("run %s took place at no possible time", id)
	case negative(run.Counts) || run.FailuresTotal < 0 || run.Outstanding < 0:
		return fmt.Errorf("run %s counts less than nothing", id)
	}
	if s := run.Source; s != nil && s.Fingerprint != "" && !isStateID(s.Fingerprint) {
		return fmt.Errorf("the source state %q of run %s is none", ledger.Excerpt(s.Fingerprint), id)
	}
	c := run.Counts
	a.bad.announced, a.bad.counted = max(run.FailuresTotal, len(run.Failures)), c.Failed+c.Unfinished+c.BuildFailed
	if !strings.HasPrefix(run.SessionID, history.ImportedSession) {
		run.SessionID = history.ImportedSession + run.SessionID
	}
	run.Origin, run.Results, run.Running, run.Stale = origin, nil, "", nil
	run.StartedAt = run.StartedAt.UTC()
	a.object = run
	return nil
}

// languageWord is how the languages of plugins are written.
var languageWord = regexp.MustCompile(`^[a-z][a-z0-9+#.-]*$`)

// maxArchiveWord bounds the names that a run's object consists of.
const maxArchiveWord = 1024

var (
	verdicts = []api.Verdict{api.Passed, api.Failed, api.BuildFailed, api.Incomplete, api.NothingRan, api.ToolError}
	kinds    = []api.Kind{api.KindRun, api.KindRerun, api.KindParsed, api.KindIngest, api.KindTriage}
)

func negative(c api.Counts) bool {
	return min(c.Suites, c.SuitesWithoutTests, c.Tests, c.TestsPassed, c.TestsSkipped, c.Subtests, c.Repeats, c.Passed, c.Failed, c.Skipped, c.Unfinished, c.NeverStarted, c.BuildFailed) < 0 || c.ParseSkippedBytes < 0
}

func (a *arrival) result(r api.Result) error {
	if max(len(r.Suite), len(r.Test), len(r.Root)) > maxArchiveName || len(r.File) > maxArchiveFile || r.Line < 0 {
		return errors.New("a name is too long, or a line less than nothing")
	}
	if r.Status == api.TestFailed || r.Status == api.TestUnfinished {
		a.bad.results++
	}
	a.accord.result(r)
	return nil
}

func (a *arrival) failure(f api.Failure) error {
	if max(len(f.Suite), len(f.Test)) > maxArchiveName || len(f.File) > maxArchiveFile || f.Line < 0 {
		return errors.New("a name is too long, or a line less than nothing")
	}
	a.bad.failures++
	a.accord.failure(f)
	return nil
}

// spoolResults keeps what the history had of a run until it is known that all of
// it is as it ought to be.
func (a *arrival) spoolResults(r io.Reader) error {
	n := 0
	err := copyLines(a.spool, r, func(line ArchivedResult) error {
		n++
		result, err := line.Result()
		if result.Outcome.Bad() {
			a.bad.points++
			a.accord.point(result)
		}
		return err
	})
	if err == nil && n != a.count {
		err = fmt.Errorf("it has %d results, and the header announces %d", n, a.count)
	}
	return err
}

// results yields what was kept.
func (a *arrival) results(ctx context.Context, yield func(history.Result)) error {
	if _, err := a.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return copyLines(io.Discard, whileWanted{ctx, a.spool}, func(line ArchivedResult) error {
		result, err := line.Result()
		if err == nil {
			yield(result)
		}
		return err
	})
}

// copyLines copies a list of one JSON object a line, and writes only what it
// understands. An error of check is told with the number of the line.
func copyLines[T any](w io.Writer, r io.Reader, check func(T) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxArchiveLine)
	out := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var item T
		err := json.Unmarshal(lines.Bytes(), &item)
		if err == nil {
			err = check(item)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), out.Flush())
}
