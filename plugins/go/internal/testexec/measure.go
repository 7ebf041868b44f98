package testexec

import (
	"cmp"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/plugins/go/internal/testlog"
	"github.com/proctorhq/proctor/plugins/go/internal/wholefile"
	"github.com/proctorhq/proctor/sdk"
)

// measurement is the measurement of one test binary.
type measurement struct {
	process Process
	binary  binary
	suite   string
	// env is the environment of the runs, and place says relative to what their tests
	// look at files.
	env   []string
	place testlog.Place
	clock clock
	// timeout is how long the tests may take together; 0 means no limit.
	timeout time.Duration
	// work is the directory for what the runs leave.
	work string
	// blocks numbers the blocks of all runs.
	blocks profile.Numbering
	// counters is how what a run executed is read; nil means from its profile. learned reports
	// whether that was decided.
	counters *counters
	learned  bool
	unseen   unseen
	// draws reports whether the program hashes its own file when it starts, as far as is known.
	draws bool
	// early reports whether the program logs what it looks at from its start on.
	early bool
	// signals receives requests to end.
	signals chan os.Signal
}

// measureTests runs the tests of a binary together, and then one by one, writes what they
// executed, and ends as the tests did together.
func measureTests(process Process, plan plan) int {
	m, file, err := newMeasurement(process, plan)
	if err != nil {
		printError(process.Stderr, fmt.Errorf("cannot measure the tests: %w", err))
		return exitFailed
	}
	defer signal.Stop(m.signals)
	limit := m.togetherLimit(countUnmeasured(plan))
	if limit < 0 {
		if err := m.finish(file, notMeasured("the time budget was exhausted before its tests ran")); err != nil {
			printError(process.Stderr, err)
		}
		printError(process.Stderr, fmt.Errorf("no time is left for the index: the tests of %s were not started", m.suite))
		return exitFailed
	}
	together := m.run(nil, limit, process.Stdout)
	if together.err != nil {
		printError(process.Stderr, fmt.Errorf("the test binary did not start: %w", together.err))
		return exitFailed
	}
	measured, err := m.measureAlone(together)
	if err == nil {
		err = m.finish(file, measured)
	}
	code := exitAs(together.ended, process.Stderr)
	if err != nil {
		printError(process.Stderr, fmt.Errorf("the tests of %s were not measured: %w", m.suite, err))
		return cmp.Or(code, exitFailed)
	}
	return code
}

func newMeasurement(process Process, plan plan) (*measurement, string, error) {
	binary, err := readBinary(process.Args)
	if err != nil {
		return nil, "", err
	}
	binary.program = append(plan.table.cross(), binary.program...)
	clock, err := readClock(plan.path, *plan.table.Measure)
	if err != nil {
		return nil, "", err
	}
	file, work := measuredPaths(plan.path, plan.at)
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, "", err
	}
	_, env := takeVariable(plan.env, coverDirVariable)
	m := &measurement{
		process: process, binary: binary, suite: plan.table.Packages[plan.at].Suite, env: env, clock: clock, work: work,
		place: testlog.Place{
			Root: plan.table.Measure.Root, Dir: process.Dir, Temp: tempDir(env), Own: []string{filepath.Dir(plan.path)},
			Binary: binary.path(),
		},
		timeout: time.Duration(plan.table.Measure.TimeoutMillis) * time.Millisecond,
		signals: make(chan os.Signal, 1),
		unseen:  newUnseen(process.Env),
	}
	has := binary.contains(testlog.EarlyVariable, drawsLots)
	m.early, m.draws = has[0], has[1]
	for _, sig := range forwarded {
		if !signal.Ignored(sig) {
			signal.Notify(m.signals, sig)
		}
	}
	return m, file, nil
}

// countUnmeasured returns how many packages of a plan are not measured yet.
func countUnmeasured(plan plan) int {
	n := 0
	for at := range plan.table.Packages {
		file, _ := measuredPaths(plan.path, at)
		if _, err := os.Lstat(file); err != nil {
			n++
		}
	}
	return max(n, 1)
}

// togetherLimit returns how long the tests may take together: the user's limit, and
// their share of the time. It is negative if time is up, and 0 if there is no limit.
func (m *measurement) togetherLimit(packages int) time.Duration {
	share := m.clock.share(packages)
	if share > 0 && m.timeout > 0 {
		return min(share, m.timeout)
	}
	return cmp.Or(share, m.timeout)
}

// tempDir returns where tests keep temporary files, see [os.TempDir].
func tempDir(env []string) string {
	dir, _ := takeVariable(env, "TMPDIR")
	return cmp.Or(dir, os.TempDir())
}

// notMeasured means that nothing was measured.
func notMeasured(why string) sdk.SuiteCoverage {
	return sdk.SuiteCoverage{Granularity: sdk.CoverageNone, Why: why}
}

// measureAlone runs the binary without a test, and then with each.
func (m *measurement) measureAlone(together ran) (sdk.SuiteCoverage, error) {
	start, err := m.runAgain([]string{"-test.run=^$"}, m.startLimit(together))
	if err != nil {
		return sdk.SuiteCoverage{}, err
	}
	m.draws = start.drew
	names, err := m.names(together)
	if err != nil {
		return sdk.SuiteCoverage{}, err
	}
	var measured sdk.SuiteCoverage
	measured.Whole, measured.StartUp = together.executed, start.executed
	measured.Granularity = sdk.CoveragePerTest
	switch {
	case !start.covered && !together.covered:
		measured = notMeasured(together.why)
	case !start.covered:
		measured.Granularity, measured.Why = sdk.CoveragePerSuite, "without a test: "+start.why
	default:
		measured.Why, measured.Cut = m.clock.startsTooSlow(start.took, len(names), together.took)
	}
	if measured.Why == "" {
		measured.Tests, measured.Why, err = m.runOneByOne(names, start, together)
	}
	if measured.Why == "" || len(measured.Tests) > 0 {
		measured.Whole = uniteBlocks(measured.Whole, start.executed)
		for _, test := range measured.Tests {
			measured.Whole = uniteBlocks(measured.Whole, test.Blocks)
		}
	}
	if err != nil || measured.Why == "" {
		return measured, err
	}
	return m.concludeIncomplete(measured, together), nil
}

// concludeIncomplete says of what was not measured whole why, and keeps of it what is certain.
func (m *measurement) concludeIncomplete(measured sdk.SuiteCoverage, together ran) sdk.SuiteCoverage {
	if hung := together.hungTests(); hung != "" {
		// The rest had no time because of that. With more time it may end.
		measured.Why, measured.Cut = hung, measured.Cut || together.limit != m.timeout
	} else if !together.covered && measured.Why != together.why {
		measured.Why += "; with all tests: " + together.why
	}
	if len(measured.Tests) > 0 {
		measured.Cut = true
		return measured
	}
	measured.Granularity = sdk.CoveragePerSuite
	if !together.covered {
		return sdk.SuiteCoverage{Granularity: sdk.CoverageNone, Why: measured.Why, Cut: measured.Cut}
	}
	return measured
}

// names returns the tests of the binary. It asks the binary about those that did not
// get their turn.
func (m *measurement) names(together ran) ([]string, error) {
	names := together.output.names
	if together.output.completed {
		return names, nil
	}
	list, err := m.runAgain([]string{"-test.list=^(Test|Example|Fuzz)"}, m.startLimit(together))
	for line := range strings.Lines(string(list.text)) {
		name := strings.TrimRight(line, "\r\n")
		isTest := strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Example") || strings.HasPrefix(name, "Fuzz")
		if isTest && !strings.ContainsAny(name, " \t/") && len(names) < maxTests && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// finish numbers the blocks by file and writes the measurement.
func (m *measurement) finish(file string, measured sdk.SuiteCoverage) error {
	var numbers []int
	measured.Suite = m.suite
	if measured.Granularity != sdk.CoveragePerTest && m.clock.left(0) < 0 {
		measured.Cut = true
	}
	measured.Files, numbers = m.blocks.Files()
	measured.Whole = profile.Renumber(measured.Whole, numbers)
	measured.StartUp = profile.Renumber(measured.StartUp, numbers)
	for i := range measured.Tests {
		measured.Tests[i].Blocks = profile.Renumber(measured.Tests[i].Blocks, numbers)
	}
	if err := wholefile.Write(file, func(w io.Writer) error { return gob.NewEncoder(w).Encode(measured) }); err != nil {
		return err
	}
	return os.RemoveAll(m.work)
}
